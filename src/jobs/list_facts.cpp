#include <everbloom/hash/running_checksum.hpp>
#include <everbloom/jobs/list_facts.hpp>

namespace everbloom {

std::uint64_t identity_of(const filter_file& file) {
    running_checksum sum;
    sum.add(file.filter().kind_id());
    sum.add(static_cast<std::uint32_t>(file.keys));
    sum.add(static_cast<std::uint32_t>(file.hasher().id()));
    sum.add(file.hasher().key().bytes);
    for (const geometry_value& one : file.filter().geometry()) sum.add(one.value);
    for (const auto& words : file.filter().sections()) {
        words.for_each_run([&](std::span<const std::uint64_t> run) { sum.add(run.data(), run.size_bytes()); });
    }
    return sum.value();
}

} // namespace everbloom
