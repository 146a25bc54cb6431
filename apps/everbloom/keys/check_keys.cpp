#include "keys/check_keys.hpp"

#include "keys/key_pipeline.hpp"
#include "keys/key_text.hpp"
#include "output/standard_output.hpp"

#include <algorithm>
#include <array>

namespace everbloom::cli {
namespace {

/// The result of a worker for a block.
struct block_answer {
    std::string output;
    std::uint64_t found = 0;
    std::vector<std::uint64_t> found_in;
};

/// The answers of all filters to a batch. Filters that share hash and key are queried with the same digests.
class batch_query {
public:
    batch_query(const std::vector<named_filter>& filters, certainty sure)
        : filters_(filters), sure_(sure), hashed_like_(filters.size()), answers_(filters.size()) {
        for (std::size_t f = 0; f < filters.size(); ++f) {
            const auto first = std::find_if(filters.begin(), filters.end(), [&](const named_filter& one) {
                return one.file.hasher() == filters[f].file.hasher();
            });
            hashed_like_[f] = static_cast<std::size_t>(first - filters.begin());
        }
    }

    void ask(std::span<const std::string_view> keys) {
        count_ = keys.size();
        std::fill_n(any_.begin(), count_, std::uint8_t{0});
        const auto digests = std::span(digests_).first(count_);
        for (std::size_t leader = 0; leader < filters_.size(); ++leader) {
            if (hashed_like_[leader] != leader) continue;
            filters_[leader].file.hasher()(keys, digests);
            for (std::size_t f = leader; f < filters_.size(); ++f) {
                if (hashed_like_[f] == leader) ask_one(f, digests);
            }
        }
    }

    [[nodiscard]] bool any(std::size_t key) const noexcept { return any_[key] != 0; }
    [[nodiscard]] bool by(std::size_t filter, std::size_t key) const noexcept { return answers_[filter][key] != 0; }
    [[nodiscard]] std::uint64_t count_by(std::size_t filter) const noexcept {
        std::uint64_t sum = 0;
        for (const std::uint8_t answer : std::span(answers_[filter]).first(count_)) sum += answer;
        return sum;
    }

private:
    using batch_answers = std::array<std::uint8_t, batch_items>;

    void ask_one(std::size_t filter, std::span<const digest> digests) {
        const auto answers = std::span(answers_[filter]).first(count_);
        const any_filter& asked = filters_[filter].file.filter();
        asked.may_contain(digests, answers);
        const bool confirms = sure_ != certainty::usual && asked.can(capability::confirm);
        for (std::size_t i = 0; confirms && i < count_; ++i) {
            // Few keys are left for the slow query.
            if (answers[i] != 0) (void)asked.confirm(digests.subspan(i, 1), answers.subspan(i, 1));
        }
        for (std::size_t i = 0; i < count_; ++i) any_[i] |= answers[i];
    }

    const std::vector<named_filter>& filters_;
    certainty sure_;
    std::vector<std::size_t> hashed_like_; // the first filter with the same hash and key
    std::array<digest, batch_items> digests_;
    std::vector<batch_answers> answers_;
    batch_answers any_;
    std::size_t count_ = 0;
};

class block_check {
public:
    block_check(const check_request& request, const key_format& format) : request_(request), format_(format) {}

    block_report operator()(std::string_view block, block_answer& answer) const {
        answer.output.clear();
        answer.found = 0;
        answer.found_in.assign(request_.filters.size(), 0);
        batch_query query(request_.filters, request_.sure);
        key_batches batches(block, format_);
        while (batches.next()) {
            query.ask(batches.keys());
            for (std::size_t f = 0; f < request_.filters.size(); ++f) answer.found_in[f] += query.count_by(f);
            const auto texts = batches.texts();
            const bool wanted = request_.wanted == wanted_keys::in_any_filter;
            for (std::size_t i = 0; i < texts.size(); ++i) {
                if (query.any(i) != wanted) continue;
                ++answer.found;
                write(texts[i], i, query, answer.output);
            }
        }
        return {batches.total(), batches.error()};
    }

private:
    void write(std::string_view text, std::size_t key, const batch_query& query, std::string& output) const {
        switch (request_.style) {
        case answer_style::lines:
            output.append(text);
            output += format_.separator;
            break;
        case answer_style::tagged:
            for (std::size_t f = 0; f < request_.filters.size(); ++f) {
                if (!query.by(f, key)) continue;
                output.append(request_.filters[f].name);
                output += '\t';
                output.append(text);
                output += format_.separator;
            }
            break;
        case answer_style::json_lines: {
            json line = key_json(text);
            line["filters"] = json::array();
            for (std::size_t f = 0; f < request_.filters.size(); ++f) {
                if (query.by(f, key)) line["filters"].push_back(request_.filters[f].name);
            }
            output += json_line(line);
            break;
        }
        case answer_style::count:
        case answer_style::first_only: break;
        }
    }

    const check_request& request_;
    const key_format& format_;
};

} // namespace

result<void> check_keys(const check_request& request, const key_stream& stream, cancellation& cancel,
                        check_result& sum) {
    sum.found_in.assign(request.filters.size(), 0);
    progress watched(stream.watched, stream.files.regular_bytes);
    const auto finish = [&](const block_place& place, block_answer& answer) -> result<flow> {
        if (auto written = write_output(answer.output); !written) return fail(std::move(written.error()));
        sum.keys += place.keys;
        sum.found += answer.found;
        for (std::size_t f = 0; f < sum.found_in.size(); ++f) sum.found_in[f] += answer.found_in[f];
        watched.advance(place.keys, place.file_bytes);
        return request.style == answer_style::first_only && sum.found != 0 ? flow::stop : flow::go_on;
    };
    return key_pipeline<block_answer, block_check, decltype(finish)>(stream.files, stream.format.separator,
                                                                     stream.threads, cancel,
                                                                     block_check(request, stream.format), finish)
        .run();
}

} // namespace everbloom::cli
