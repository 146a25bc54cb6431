#include "commands/convert/output_format.hpp"

#include <algorithm>
#include <array>

namespace everbloom::cli {
namespace {

constexpr std::array<output_format, 8> output_formats{
    {{"eb", ".eb", std::nullopt},
     {"bloom.gz", ".bloom.gz", foreign_format::dcso, true},
     {"bloom", ".bloom", foreign_format::dcso},
     {"guava", ".guava", foreign_format::guava},
     {"guava32", "", foreign_format::guava, false, guava_file::strategy::mitz_32},
     {"parquet", ".sbbf", foreign_format::parquet},
     {"parquet-bitset", "", foreign_format::parquet_bitset},
     {"redisbloom", ".scandump", foreign_format::redisbloom}}};

} // namespace

result<output_format> output_format_for(std::string_view name, const std::string& path) {
    for (const output_format& one : output_formats) {
        if (name.empty() ? !one.ending.empty() && path.ends_with(one.ending) : name == one.name) return one;
    }
    return fail(failure_reason::bad_parameter,
                path + ": unknown output format; use a name that ends in .eb, .bloom, .bloom.gz, .guava, .sbbf "
                       "(Parquet) or .scandump, or --to");
}

std::vector<std::string> names_of_output_formats() {
    std::vector<std::string> names(output_formats.size());
    std::transform(output_formats.begin(), output_formats.end(), names.begin(),
                   [](const output_format& one) { return std::string(one.name); });
    return names;
}

} // namespace everbloom::cli
