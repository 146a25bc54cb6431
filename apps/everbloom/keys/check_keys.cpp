#include "keys/check_keys.hpp"

#include "keys/answer_text.hpp"
#include "keys/key_pipeline.hpp"
#include "output/standard_output.hpp"

#include <algorithm>
#include <atomic>

namespace everbloom::cli {
namespace {

/// The result of a worker for a block.
struct block_answer {
    answer_text output;
    text_arena arena;
    std::uint64_t found = 0;
    std::vector<std::uint64_t> found_in;
    std::uint64_t looked_at = 0;
    std::uint64_t with_blanks = 0;
};

class block_check {
public:
    block_check(const check_request& request, const key_stream& stream, std::atomic<std::uint64_t>& looked_at)
        : request_(request), stream_(stream), looked_at_(looked_at) {}

    block_report operator()(const key_block& block, block_answer& answer) {
        answer.output.clear();
        answer.arena.clear();
        answer.found = 0;
        answer.found_in.assign(request_.filters.size(), 0);
        answer.looked_at = answer.with_blanks = 0;
        if (looked_at_.load(std::memory_order_relaxed) < enough_lines) look_for_blanks(block.text(), answer);
        filter_answers filters(request_.filters, request_.sure, request_.asked);
        key_batches batches(block, stream_.format, answer.arena);
        const answer_writer writer(request_, stream_.files.names[block.file], answer.arena);
        while (batches.next()) {
            filters.ask(batches.keys());
            std::uint64_t answers = 0;
            for (std::size_t f = 0; f < request_.filters.size(); ++f) {
                const std::uint64_t found = filters.count_by(f);
                answer.found_in[f] += found;
                answers += found;
            }
            const bool wanted = request_.wanted == wanted_keys::in_any_filter;
            if (wanted && answers == 0) continue; // nothing to print
            const std::size_t count = batches.keys().size();
            for (std::size_t i = 0; i < count; ++i) {
                if (filters.any(i) != wanted) continue;
                ++answer.found;
                writer.write({batches.texts()[i], batches.lines()[i], batches.line_number(i), i}, filters,
                             answer.output);
            }
        }
        return {batches.total(), batches.error(), batches.take_account()};
    }

private:
    static constexpr std::uint64_t enough_lines = 1000;

    /// The first lines of the input.
    void look_for_blanks(std::string_view text, block_answer& answer) const {
        while (!text.empty() && answer.looked_at < enough_lines) {
            const std::size_t end = std::min(text.find(stream_.format.separator), text.size());
            const std::string_view line = text.substr(0, end);
            const std::size_t blank = line.find_first_of(" \t");
            answer.with_blanks += blank != std::string_view::npos && blank != 0 && blank + 1 < line.size() ? 1 : 0;
            ++answer.looked_at;
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        looked_at_ += answer.looked_at;
    }

    const check_request& request_;
    const key_stream& stream_;
    std::atomic<std::uint64_t>& looked_at_;
};

/// Writes what blocks have found, in order: their line numbers are known only here, and how many lines a file has given.
class answer_output {
public:
    explicit answer_output(const check_request& request) : request_(request) {}

    /// How many of the block's matches count.
    result<std::uint64_t> write(const block_place& place, const block_answer& answer) {
        if (place.file != file_) {
            file_ = place.file;
            of_file_ = 0;
        }
        std::uint64_t counts = answer.found;
        if (request_.most_per_file) counts = std::min(counts, *request_.most_per_file - of_file_);
        of_file_ += counts;
        const std::string_view text = answer.output.first(counts, place.first_line, numbered_);
        if (auto written = write(text); !written) return fail(std::move(written.error()));
        return counts;
    }

    [[nodiscard]] bool file_has_given_enough() const noexcept {
        return request_.most_per_file && of_file_ >= *request_.most_per_file;
    }

private:
    result<void> write(std::string_view text) const {
        if (!request_.layout.line_buffered) return write_output(text);
        while (!text.empty()) {
            const std::size_t end = std::min(text.find(request_.layout.separator), text.size() - 1) + 1;
            if (auto written = write_output(text.substr(0, end)); !written) return written;
            text.remove_prefix(end);
        }
        return {};
    }

    const check_request& request_;
    std::size_t file_ = 0;
    std::uint64_t of_file_ = 0;
    std::string numbered_;
};

} // namespace

result<void> check_keys(const check_request& request, const key_stream& stream, cancellation& cancel,
                        check_result& sum) {
    sum.found_in.assign(request.filters.size(), 0);
    progress watched(stream.watched, stream.files.regular_bytes);
    answer_output output(request);
    std::atomic<std::uint64_t> looked_at = 0;
    const auto finish = [&](const block_place& place, block_answer& answer) -> result<flow> {
        const auto found = output.write(place, answer);
        if (!found) return fail(found.error());
        sum.keys += place.keys;
        sum.found += *found;
        for (std::size_t f = 0; f < sum.found_in.size(); ++f) sum.found_in[f] += answer.found_in[f];
        sum.lines_looked_at += answer.looked_at;
        sum.lines_with_blanks += answer.with_blanks;
        if (stream.skipped != nullptr) {
            stream.skipped->take(display_name(stream.files.names[place.file]), place.first_line, place.account);
        }
        watched.advance(place.keys, place.file_bytes);
        const bool is_last = place.file + 1 == stream.files.names.size();
        if (request.style == answer_style::first_only && sum.found != 0) return flow::stop;
        return is_last && output.file_has_given_enough() ? flow::stop : flow::go_on;
    };
    return key_pipeline<block_answer, block_check, decltype(finish)>(stream.files, stream.format.separator,
                                                                     stream.threads, cancel,
                                                                     block_check(request, stream, looked_at), finish)
        .run();
}

} // namespace everbloom::cli
