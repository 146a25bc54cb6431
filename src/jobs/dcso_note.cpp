#include <everbloom/jobs/dcso_note.hpp>

#include <array>
#include <cstring>

namespace everbloom {
namespace {

constexpr std::array<char, 8> note_magic{'E', 'B', 'D', 'C', 'S', 'O', '1', '\n'};
constexpr std::size_t note_bytes = note_magic.size() + 3 * sizeof(std::uint64_t);

} // namespace

std::optional<dcso_note> dcso_note::parse(std::span<const std::byte> attached) {
    if (attached.size() < note_bytes || std::memcmp(attached.data(), note_magic.data(), note_magic.size()) != 0) {
        return std::nullopt;
    }
    std::array<std::uint64_t, 3> fields;
    std::memcpy(fields.data(), attached.data() + note_magic.size(), sizeof fields);
    return dcso_note{fields[0], fields[1], fields[2], attached.subspan(note_bytes)};
}

std::size_t dcso_note::bytes_for(std::size_t data_bytes) noexcept { return note_bytes + data_bytes; }

void dcso_note::write(std::span<std::byte> into) const {
    const std::array<std::uint64_t, 3> fields{flags, items, ones};
    std::memcpy(into.data(), note_magic.data(), note_magic.size());
    std::memcpy(into.data() + note_magic.size(), fields.data(), sizeof fields);
    if (!data.empty()) std::memcpy(into.data() + note_bytes, data.data(), data.size());
}

} // namespace everbloom
