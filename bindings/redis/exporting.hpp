// exporting: the bytes of a large filter's file, put together in steps.
#pragma once

#include "work.hpp"

namespace everbloom::redis {

class exporting final : public work {
public:
    /// The facts are attached.
    explicit exporting(stored_filter& value) : value_(&value), parts_(value.file) {}

    [[nodiscard]] progress advance(const call& now, std::uint64_t bytes) override;
    void end(const call& now, job_reply& reply) override;

    [[nodiscard]] bool includes(const stored_filter* value) const noexcept override { return value == value_; }
    [[nodiscard]] std::size_t named_filters() const noexcept override { return 1; }
    [[nodiscard]] bool only_reads() const noexcept override { return true; }

    [[nodiscard]] std::uint64_t total_bytes() const noexcept { return parts_.bytes(); }

private:
    stored_filter* value_;
    file_parts parts_;
    server_bytes bytes_;
};

} // namespace everbloom::redis
