// filter_answers: the answers of several filters to a batch of keys.
//
// Some keys are questions about several: an address about all networks that contain it, a domain about its parents. Each of these is asked,
// the longest first; the first that a filter may hold is the match.
#pragma once

#include <everbloom/foreign/foreign_filter.hpp>
#include <everbloom/jobs/prefix_lengths.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

struct named_filter {
    std::string name; // as the user wrote it
    filter_file file;
    std::shared_ptr<const foreign_filter> foreign =
        {}; // of another program: it answers, and `file` has the key type only

    /// From its cells.
    [[nodiscard]] double current_fpr() const { return foreign ? foreign->facts().fpr : file.filter().measure().fpr; }
};

/// Whether matches are looked up among the stored hashes, which only some kinds have.
enum class certainty { usual, confirmed_where_possible, confirmed };

/// What a key asks for.
struct question {
    enum class about { itself, parents, networks };

    about what = about::itself;
    prefix_lengths lengths = {}; // of the networks
};

class filter_answers {
public:
    /// Both must outlive this.
    filter_answers(const std::vector<named_filter>& filters, certainty sure, const question& asked);

    /// At most batch_items keys, as the bytes that are hashed; they must stay until the answers are used.
    void ask(std::span<const std::string_view> keys);

    [[nodiscard]] bool any(std::size_t key) const noexcept { return any_[key] != 0; }
    [[nodiscard]] bool by(std::size_t filter, std::size_t key) const noexcept { return answers_[filter][key] != 0; }
    [[nodiscard]] std::uint64_t count_by(std::size_t filter) const noexcept;
    /// The key that a filter may hold: the domain, or the network, as it is written.
    [[nodiscard]] std::string match(std::size_t key) const;

private:
    using batch_answers = std::array<std::uint8_t, batch_items>;
    struct candidate {
        std::array<char, network::most_bytes> bytes; // of a network
        std::string_view key;
        std::size_t owner;
    };

    void ask_themselves(std::span<const std::string_view> keys, std::vector<batch_answers>& answers);
    void ask_one(std::size_t filter, std::span<const digest> digests, std::span<std::uint8_t> answers) const;
    void ask_parents(std::string_view key, std::size_t owner);
    void ask_networks(std::string_view key, std::size_t owner);
    [[nodiscard]] candidate& next_candidate(std::size_t owner);
    void ask_candidates();

    const std::vector<named_filter>& filters_;
    certainty sure_;
    const question& asked_;
    std::vector<std::size_t> hashed_like_; // the first filter with the same hash and key; itself if it is foreign
    std::array<digest, batch_items> digests_;
    std::vector<batch_answers> answers_;
    batch_answers any_;
    std::size_t count_ = 0;
    // Of questions about several keys:
    std::vector<candidate> candidates_;
    std::size_t pending_ = 0;
    std::vector<batch_answers> of_candidates_;
    std::vector<std::string> matches_;
};

} // namespace everbloom::cli
