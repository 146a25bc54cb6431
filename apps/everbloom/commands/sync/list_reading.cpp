#include "commands/sync/list_reading.hpp"

#include "commands/sync/list_file.hpp"

#include <everbloom/jobs/canonical_key.hpp>

#include <fmt/format.h>

namespace everbloom::cli {

result<made_list> read_lists(const key_flags& flags, const list_reading& how, const std::vector<std::string>& names,
                             const key_format& format, const any_hasher& hasher, key_arena& arena,
                             cancellation& cancel) {
    const auto threads = flags.threads();
    if (!threads) return fail(threads.error());
    auto files = flags.find(names);
    if (!files) return fail(std::move(files.error()));
    greet_terminal(*files);
    skipped_lines skipped(how.watched);
    const key_stream stream{std::move(*files), format, *threads, how.watched, &skipped};
    canonical_key canonical(format.type);
    list_builder list;
    auto read = hash_keys(stream, hasher, cancel, [&](const hashed_keys& block) -> result<void> {
        for (const std::string_view text : block.texts) {
            if (auto fits = check_listable(text); !fits) return fits;
            list.add(*canonical(text));
        }
        return {};
    });
    if (!read) return fail(std::move(read.error()));
    skipped.report();
    if (list.added() == 0 && !how.allow_empty) {
        return fail(failure_reason::bad_parameter,
                    fmt::format("{}: has no keys and would empty the filter; use --allow-empty to accept that",
                                display_name(names.front())));
    }
    made_list made;
    const std::uint64_t added = list.added();
    made.keys = std::move(list).finish(arena);
    made.repeated = added - made.keys.size();
    return made;
}

} // namespace everbloom::cli
