// text_table: columns of text under headings, which may stand in groups. A column in which nothing was written is left out.
#pragma once

#include <string>
#include <vector>

namespace everbloom::bench {

struct table_column {
    std::string group; // equal neighbours share one heading above their own
    std::string heading;
};

class text_table {
public:
    explicit text_table(std::vector<table_column> columns) : columns_(std::move(columns)) {}

    /// One text per column; an empty one where there is nothing to say.
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

    [[nodiscard]] std::string text() const;

private:
    struct placed_column {
        std::size_t index;
        std::size_t width;
    };

    [[nodiscard]] std::vector<placed_column> used_columns() const;
    [[nodiscard]] std::string group_line(const std::vector<placed_column>& placed) const;

    std::vector<table_column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace everbloom::bench
