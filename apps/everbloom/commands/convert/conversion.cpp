#include "commands/convert/conversion.hpp"

#include "commands/convert/gzip_bytes.hpp"

#include <everbloom/jobs/dcso_conversion.hpp>

#include <array>
#include <vector>

namespace everbloom::cli {

result<void> prepare_everbloom(const dcso_file& from, output_file& to) {
    const everbloom_frame frame = frame_for(from);
    const std::array<std::span<const std::byte>, 3> pieces{frame.header, std::as_bytes(std::span(from.words)),
                                                           std::as_bytes(std::span(frame.attachment))};
    return to.prepare(pieces);
}

result<dcso_header> header_with_advice(const filter_file& from) {
    auto made = header_as_dcso(from);
    if (made) return made;
    const dcso_obstacle why = obstacle_to_dcso(from);
    if (why == dcso_obstacle::other_hash) made.error().sentence += " with 'everbloom create --kind bloom --hash dcso'";
    if (why == dcso_obstacle::exclusion_list) made.error().sentence += "; 'everbloom protect --drop' removes it";
    return made;
}

result<void> prepare_dcso(const filter_file& from, const dcso_header& header, packing how, output_file& to) {
    const auto start = header.write();
    const auto body = body_as_dcso(from, header);
    const std::array<std::span<const std::byte>, 3> pieces{start, body[0], body[1]};
    if (how == packing::plain) return to.prepare(pieces);
    const std::vector<std::byte> packed = gzip_bytes(pieces);
    const std::array<std::span<const std::byte>, 1> whole{packed};
    return to.prepare(whole);
}

} // namespace everbloom::cli
