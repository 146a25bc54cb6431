// table: rows of text in columns, for people: numbers to the right, two blanks between columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace everbloom::cli {

class table {
public:
    enum class side { left, right };
    struct column {
        std::string name;
        side aligned = side::left;
    };

    explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

    /// As many cells as there are columns.
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    /// With the names of the columns as the first line.
    [[nodiscard]] std::string text() const;

private:
    std::vector<column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace everbloom::cli
