// How fast do filters come and go? Opening into memory, mapping and saving, all checks and checksums included, in a temporary folder.
//
// By the clock on the wall, because a durable save waits for the disk.
#include "keys.hpp"
#include "measurements.hpp"
#include "planned.hpp"
#include "population.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstdlib>
#include <filesystem>

namespace everbloom::bench {
namespace {

class scratch_folder {
public:
    scratch_folder() {
        std::error_code none;
        std::string made = (std::filesystem::temp_directory_path(none) / "everbloom-bench-XXXXXX").string();
        if (!none && mkdtemp(made.data()) != nullptr) path_ = made;
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }

    /// Empty if there is no place for temporary files.
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

result<filter_file> make_filled(std::string_view kind) {
    const settings& run = run_settings();
    auto built = build({.kind = std::string(kind), .items = run.items, .fpr = run.fpr, .parameters = {}});
    if (!built) return fail(std::move(built.error()));
    result<void> inserted;
    digest_batch digests;
    std::array<insert_outcome, batch_keys> outcomes;
    for_each_batch(run_keys().members(), [&](std::span<const std::uint64_t> part) {
        if (inserted) inserted = built->insert(digests.of(part), std::span(outcomes).first(part.size()));
    });
    if (!inserted) return fail(std::move(inserted.error()));
    filter_file made;
    made.handle = keyed(std::move(*built), any_hasher(hash_id::integer, hash_key{}));
    made.keys = key_type::u64;
    made.target = {run.items, run.fpr};
    return made;
}

/// The file of a filled filter of that kind, written at the first call.
class saved_filter {
public:
    explicit saved_filter(std::string_view kind) : kind_(kind) {}

    [[nodiscard]] const result<void>& saved() {
        if (!tried_) {
            tried_ = true;
            save();
        }
        return saved_;
    }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    void save() {
        static const scratch_folder folder;
        if (folder.path().empty()) {
            saved_ = fail(failure_reason::input_output, "no temporary folder can be made; set TMPDIR");
            return;
        }
        path_ = folder.path() / (std::string(kind_) + ".eb");
        const auto filled = make_filled(kind_);
        saved_ = filled ? save_filter(*filled, path_) : fail(filled.error());
        if (!saved_) return;
        saved_ = check_reloaded();
    }

    /// What comes back from the file knows every member.
    [[nodiscard]] result<void> check_reloaded() const {
        const auto back = open_filter(path_);
        if (!back) return fail(back.error());
        std::uint64_t lost = 0;
        for (const std::uint64_t key : run_keys().members()) lost += back->handle.may_contain(key) ? 0 : 1;
        if (lost != 0) return fail(failure_reason::damaged, fmt::format("{} members are lost on reload", lost));
        return {};
    }

    std::string_view kind_;
    std::string path_;
    bool tried_ = false;
    result<void> saved_;
};

/// Times `act(path)`, which gives back a result.
template <class Act>
void time_file(benchmark::State& state, saved_filter& file, Act act) {
    if (!file.saved()) return state.SkipWithError(file.saved().error().sentence.c_str());
    for (auto _ : state) {
        const auto done = act(file.path());
        if (!done) return state.SkipWithError(done.error().sentence.c_str());
    }
    std::error_code ignored;
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file.path(), ignored));
    state.SetBytesProcessed(state.iterations() * bytes);
}

void time_saving(benchmark::State& state, saved_filter& file) {
    if (!file.saved()) return state.SkipWithError(file.saved().error().sentence.c_str());
    const auto filter = open_filter(file.path());
    if (!filter) return state.SkipWithError(filter.error().sentence.c_str());
    time_file(state, file, [&](const std::string& path) { return save_filter(*filter, path); });
}

} // namespace

void register_load_save() {
    for_each_kind([]<class Kind>() {
        static saved_filter file(Kind::name);
        const auto add = [](std::string_view variant, auto time) {
            add_measurement("load_save", variant, Kind::name, time)->UseRealTime();
        };
        add("open", [](benchmark::State& state) {
            time_file(state, file, [](const std::string& path) { return open_filter(path); });
        });
        add("map", [](benchmark::State& state) {
            time_file(state, file, [](const std::string& path) { return map_filter(path); });
        });
        add("save", [](benchmark::State& state) { time_saving(state, file); });
    });
}

} // namespace everbloom::bench
