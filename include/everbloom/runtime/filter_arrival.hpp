// filter_arrival: a filter file that comes in pieces, each of which is checked when it comes.
//
// A server that loads a filter of gigabytes in chunks must not stop at the last one to look at all of them. Here every piece costs what it
// takes to copy and check it: the header as soon as it is complete, every page of a section against its checksum, and for kinds whose cells
// can be judged one line at a time (`quotient`) these, too. What is left for the end is small for them; other kinds look at all of
// their cells there. The answer is the same as that of `read_filter` for the same bytes.
#pragma once

#include <everbloom/runtime/filter_file.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace everbloom {

class filter_arrival {
public:
    /// Of a file with this many bytes.
    [[nodiscard]] static result<filter_arrival> of(std::uint64_t total_bytes);

    filter_arrival(filter_arrival&&) noexcept;
    filter_arrival& operator=(filter_arrival&&) noexcept;
    ~filter_arrival();

    /// The bytes that follow the ones before; pieces may have any size. After a failure there is nothing left to do with it.
    [[nodiscard]] result<void> take(std::span<const std::byte> piece);
    /// The filter, when all bytes are there. Only once.
    [[nodiscard]] result<filter_file> finish();

    [[nodiscard]] std::uint64_t total_bytes() const noexcept;
    [[nodiscard]] std::uint64_t arrived_bytes() const noexcept;
    [[nodiscard]] bool is_complete() const noexcept { return arrived_bytes() == total_bytes(); }
    [[nodiscard]] std::uint64_t memory_bytes() const noexcept;

    /// What has arrived, for a host that saves its state meanwhile.
    [[nodiscard]] result<void> write(byte_sink& into) const;
    [[nodiscard]] result<filter_arrival> copy() const;

private:
    class state;
    explicit filter_arrival(std::unique_ptr<state> begun) noexcept;
    std::unique_ptr<state> state_;
};

} // namespace everbloom
