// Attackers recompute checksums. Every number of a header is forged, alone and with others, and sealed again: the loader refuses
// the file in words, or the file is a legal filter, and then everything must work on it.
#include "hostile/operate.hpp"
#include "support/dice.hpp"
#include "support/rounds.hpp"
#include "support/runtime_twin.hpp"

#include <bit>
#include <limits>

namespace everbloom::hostile {
namespace {

using support::dice;
using support::rounds;

struct tally {
    std::uint64_t refused = 0;
    std::uint64_t accepted = 0;
};

/// Loads it; uses it if it loads. An accepted file is written back byte for byte: nothing in it was ignored.
void judge(const file_bytes& forged, std::uint64_t seed, tally& seen) {
    auto loaded = read_filter(forged);
    if (!loaded) {
        ++seen.refused;
        ASSERT_FALSE(loaded.error().sentence.empty());
        ASSERT_EQ(loaded.error().reason, failure_reason::damaged) << loaded.error().sentence;
        return;
    }
    ++seen.accepted;
    ASSERT_EQ(write_filter(*loaded), forged);
    operate(*loaded, seed);
}

/// Numbers at which programs go wrong.
std::vector<std::uint64_t> awkward_values(std::uint64_t original) {
    std::vector<std::uint64_t> values{0, 1, 2, ~std::uint64_t{0}, ~std::uint64_t{0} - 1, original - 1, original + 1};
    for (unsigned bit = 0; bit < 64; ++bit) {
        values.push_back(std::uint64_t{1} << bit);
        values.push_back((std::uint64_t{1} << bit) - 1);
        values.push_back(original ^ (std::uint64_t{1} << bit));
    }
    // 64 bytes times this wraps round to something small.
    for (const std::uint64_t lines : {0, 1, 2, 7}) values.push_back((std::uint64_t{1} << 58) + lines);
    for (const double rate : {1.0, -0.5, 0.5, 1e-300, 5e-324}) values.push_back(std::bit_cast<std::uint64_t>(rate));
    values.push_back(std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()));
    values.push_back(std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity()));
    return values;
}

class forged_headers : public for_every_kind {};
INSTANTIATE_TEST_SUITE_P(kinds, forged_headers, ::testing::ValuesIn(kinds_that_can(capability::query)), kind_name);

TEST_P(forged_headers, sealing_an_untouched_file_changes_nothing) {
    file_bytes bytes = small_file(kind().name);
    seal(bytes);
    EXPECT_EQ(bytes, small_file(kind().name));
}

TEST_P(forged_headers, each_field_alone_is_refused_or_legal) {
    const file_bytes& original = small_file(kind().name);
    dice random(7);
    tally seen;
    for (const header_field& field : fields_of(original)) {
        std::vector<std::uint64_t> values = awkward_values(field.read(original));
        for (std::uint64_t i = 0; i < rounds(200); ++i) values.push_back(random.word());
        for (const std::uint64_t value : values) {
            file_bytes forged = original;
            field.write(forged, value);
            seal(forged);
            judge(forged, value, seen);
            if (HasFatalFailure()) {
                FAIL() << "the field at byte " << field.offset << " was set to " << value;
            }
        }
    }
    EXPECT_GT(seen.refused, 0u);
    EXPECT_GT(seen.accepted, 0u); // any hash key is legal, for one
    RecordProperty("forgeries", std::to_string(seen.refused + seen.accepted));
}

TEST_P(forged_headers, fields_forged_together_are_refused_or_legal) {
    const file_bytes& original = small_file(kind().name);
    const auto fields = fields_of(original);
    dice random(8);
    tally seen;
    const std::uint64_t forgeries = rounds(20000);
    for (std::uint64_t i = 0; i < forgeries; ++i) {
        file_bytes forged = original;
        for (std::uint64_t changes = 1 + random.below(5); changes > 0; --changes) {
            const header_field& field = fields[random.below(fields.size())];
            const std::uint64_t old = field.read(forged);
            const auto awkward = awkward_values(old);
            const std::array<std::uint64_t, 4> choices{awkward[random.below(awkward.size())],
                                                       random.word() >> random.below(64), old + random.below(64) - 32,
                                                       random.below(100)};
            field.write(forged, choices[random.below(choices.size())]);
        }
        // The length too may be whatever the attacker likes.
        if (random.one_in(4))
            forged.resize(random.below(2 * forged.size()), std::byte{static_cast<unsigned char>(random.below(256))});
        seal(forged);
        judge(forged, i, seen);
        if (HasFatalFailure()) FAIL() << "in forgery " << i;
    }
    EXPECT_EQ(seen.refused + seen.accepted, forgeries);
    EXPECT_GT(seen.refused, 0u);
    RecordProperty("forgeries", std::to_string(forgeries));
    RecordProperty("accepted", std::to_string(seen.accepted));
}

/// Any geometry, small values more often than large ones: they make small files. Now and then one that is out of range.
std::vector<std::uint64_t> random_parameters(const kind_info& kind, dice& random) {
    std::vector<std::uint64_t> values;
    for (const parameter_info& one : kind.parameters) {
        const std::uint64_t span = one.most - one.least;
        const std::uint64_t step = span == 0 ? 0 : random.below(span) >> random.below(64);
        values.push_back(random.one_in(50) ? one.most + 1 : one.least + step);
    }
    return values;
}

/// A request for these parameters, as the catalogue understands them (whole lines, powers of two).
build_request request_with(const kind_info& kind, const std::vector<std::uint64_t>& values) {
    build_request wanted{std::string(kind.name), {}, {}, {}};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const parameter_info& one = kind.parameters[i];
        if (one.role == field_role::state) continue; // follows from the others
        wanted.parameters.push_back({std::string(one.name), support::value_words(one, values[i])});
    }
    return wanted;
}

/// A word with few, half, or many of its bits set.
std::uint64_t random_word(dice& random, std::uint64_t density) {
    switch (density) {
    case 0: return 0;
    case 1: return random.word() & random.word() & random.word() & random.word();
    case 2: return random.word();
    case 3: return random.word() | random.word();
    default: return ~std::uint64_t{0};
    }
}

/// The words of a filter after many insertions: which bits a file of this geometry can have set at all.
std::vector<std::vector<std::uint64_t>> crowded_sections(any_filter& filter, std::uint64_t lines) {
    for (std::uint64_t i = 0; i < 200 * lines && filter.can(capability::insert); ++i) {
        support::must(filter.insert(digest{mix(2 * i), mix(2 * i + 1)}));
    }
    for (std::uint64_t i = 0; i < 20 * lines && filter.can(capability::erase); ++i) {
        support::must(filter.erase(digest{mix(2 * i), mix(2 * i + 1)}));
    }
    std::vector<std::vector<std::uint64_t>> sections;
    for (const auto& words : filter.sections()) sections.emplace_back(words.begin(), words.end());
    return sections;
}

TEST_P(forged_headers, a_forger_who_fits_the_file_to_its_parameters_gains_nothing) {
    constexpr std::uint64_t most_lines = 32;
    const std::size_t section_count = get<std::uint32_t>(small_file(kind().name), at_section_count);
    dice random(9);
    tally seen;
    for (std::uint64_t i = 0; i < rounds(10000); ++i) {
        file_plan plan{
            kind().id, 1 + static_cast<std::uint32_t>(random.below(4)), 0, random_parameters(kind(), random), {}};
        const build_request wanted = request_with(kind(), plan.parameters);
        const auto bytes = bytes_needed(wanted);
        if (!bytes) {
            plan.sections.assign(section_count, std::vector<std::uint64_t>(8, 0));
        } else {
            const std::uint64_t lines = *bytes / line;
            if (lines > most_lines) continue;
            auto filter = support::must(build(wanted));
            plan.sections = crowded_sections(filter, lines);
            if (!random.one_in(4)) { // as it is after the crowding: it may have grown
                plan.parameters.clear();
                for (const geometry_value& one : filter.geometry()) plan.parameters.push_back(one.value);
            }
            for (auto& words : plan.sections) {
                const std::uint64_t density = random.below(5);
                const bool within = !random.one_in(4); // only bits that can be set, or all
                for (std::uint64_t& word : words)
                    word = random_word(random, density) & (within ? word : ~std::uint64_t{0});
            }
        }
        judge(forge(plan), i, seen);
        if (HasFatalFailure()) FAIL() << "in forgery " << i;
    }
    EXPECT_GT(seen.accepted, 0u); // an empty one of legal geometry, for one
    EXPECT_GT(seen.refused, 0u);
    RecordProperty("forgeries", std::to_string(seen.refused + seen.accepted));
    RecordProperty("accepted", std::to_string(seen.accepted));
}

} // namespace
} // namespace everbloom::hostile
