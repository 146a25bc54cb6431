#include "keys/hash_keys.hpp"

#include "keys/key_pipeline.hpp"

namespace everbloom::cli {

result<void> hash_keys(const key_stream& stream, const any_hasher& hasher, cancellation& cancel,
                       const std::function<result<void>(const hashed_keys&)>& take) {
    const auto work = [&](std::string_view block, hashed_keys& made) -> block_report {
        made.texts.clear();
        made.digests.clear();
        key_batches batches(block, stream.format);
        while (batches.next()) {
            made.texts.insert(made.texts.end(), batches.texts().begin(), batches.texts().end());
            const std::size_t before = made.digests.size();
            made.digests.resize(before + batches.keys().size());
            hasher(batches.keys(), std::span(made.digests).subspan(before));
        }
        return {batches.total(), batches.error()};
    };
    progress watched(stream.watched, stream.files.regular_bytes);
    const auto finish = [&](const block_place& place, hashed_keys& made) -> result<flow> {
        if (auto taken = take(made); !taken) return fail(std::move(taken.error()));
        watched.advance(place.keys, place.file_bytes);
        return flow::go_on;
    };
    return key_pipeline<hashed_keys, decltype(work), decltype(finish)>(stream.files, stream.format.separator,
                                                                       stream.threads, cancel, work, finish)
        .run();
}

} // namespace everbloom::cli
