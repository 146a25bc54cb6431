#include "keys/hash_keys.hpp"

#include "keys/key_pipeline.hpp"

namespace everbloom::cli {

result<void> hash_keys(const key_stream& stream, const batch_hash& hasher, cancellation& cancel,
                       const std::function<result<void>(const hashed_keys&)>& take, const batch_hash& second) {
    struct hashed_block {
        hashed_keys keys;
        text_arena arena;
    };
    const auto work = [&](const key_block& block, hashed_block& product) -> block_report {
        hashed_keys& made = product.keys;
        made.texts.clear();
        made.digests.clear();
        made.lines.clear();
        made.second_digests.clear();
        product.arena.clear();
        key_batches batches(block, stream.format, product.arena);
        while (batches.next()) {
            if (stream.texts == key_texts::kept) {
                made.texts.insert(made.texts.end(), batches.texts().begin(), batches.texts().end());
                if (batches.are_in_lines()) {
                    made.lines.insert(made.lines.end(), batches.lines().begin(), batches.lines().end());
                }
            }
            const std::size_t before = made.digests.size();
            made.digests.resize(before + batches.keys().size());
            hasher(batches.keys(), std::span(made.digests).subspan(before));
            if (!second) continue;
            made.second_digests.resize(made.digests.size());
            second(batches.keys(), std::span(made.second_digests).subspan(before));
        }
        return {batches.total(), batches.error(), batches.take_account()};
    };
    progress watched(stream.watched, stream.files.regular_bytes);
    const auto finish = [&](const block_place& place, hashed_block& made) -> result<flow> {
        if (auto taken = take(made.keys); !taken) return fail(std::move(taken.error()));
        if (stream.skipped != nullptr) {
            stream.skipped->take(display_name(stream.files.names[place.file]), place.first_line, place.account);
        }
        watched.advance(place.keys, place.file_bytes);
        return flow::go_on;
    };
    return key_pipeline<hashed_block, decltype(work), decltype(finish)>(stream.files, stream.format.separator,
                                                                        stream.threads, cancel, work, finish)
        .run();
}

} // namespace everbloom::cli
