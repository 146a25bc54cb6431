#include "keys/byte_stream.hpp"

#include "keys/bzip2_stream.hpp"
#include "keys/gzip_stream.hpp"
#include "keys/key_files.hpp"
#include "keys/peeked_stream.hpp"
#include "keys/plain_stream.hpp"
#include "keys/xz_stream.hpp"
#include "keys/zstd_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace everbloom::cli {
namespace {

using contents_of = reading_rules::bytes;

/// Do the rules forbid this format?
bool is_refused(const file_format& format, const reading_rules& rules) noexcept {
    if (format.group == format_group::byte_order_mark || format.group == rules.wanted) return false;
    if (format.group == format_group::encoding) return rules.encoding == reading_rules::text::encoded_as_ours;
    return rules.contents == contents_of::of_this_format;
}

failure refusal(const std::string& name, std::string_view how, const file_format& format, const reading_rules& rules) {
    std::string sentence = display_name(name) + ": " + std::string(how) + std::string(format.name) + ", not " +
                           std::string(rules.meaning) + "; " + std::string(format.advice);
    if (!rules.way_out.empty()) sentence += "; " + std::string(rules.way_out);
    return {failure_reason::bad_parameter, std::move(sentence)};
}

/// The format of the stream. Reads no further than necessary: a terminal that sends "a\n" is not read again just to rule out a magic
/// number at a later offset.
result<const file_format*> format_of(peeked_stream& stream, const reading_rules& rules) {
    for (bool more = true;;) {
        const std::string_view start = stream.start();
        const recognition seen = recognise(start);
        const bool may_become_longer = seen.undecided_soon || (seen.format == nullptr && seen.undecided_far);
        const bool has_an_entry =
            start.size() >= rules.entry_bytes || start.find(rules.separator) != std::string_view::npos;
        const bool is_answer_due = !seen.undecided_soon && has_an_entry && !stream.more_is_ready();
        if (!more || !may_become_longer || is_answer_due || start.size() >= most_start_bytes) {
            const bool may_be_utf16 = seen.format == nullptr && rules.separator == '\n';
            return may_be_utf16 ? recognise_bare_utf16(start) : seen.format;
        }
        const auto got = stream.look_further(most_start_bytes - start.size());
        if (!got) return fail(got.error());
        more = *got;
    }
}

std::unique_ptr<byte_stream> decompressed(std::unique_ptr<peeked_stream> file, const std::string& name,
                                          compression how) {
    const std::string shown = display_name(name);
    switch (how) {
    case compression::gzip: return std::make_unique<gzip_stream>(std::move(file), shown);
    case compression::zstd: return std::make_unique<zstd_stream>(std::move(file), shown);
    case compression::bzip2: return std::make_unique<bzip2_stream>(std::move(file), shown);
    case compression::xz: return std::make_unique<xz_stream>(std::move(file), shown, xz_stream::container::xz);
    case compression::lzma: return std::make_unique<xz_stream>(std::move(file), shown, xz_stream::container::lzma);
    case compression::none: break;
    }
    return file;
}

void leave_out_mark(peeked_stream& stream, const file_format* found, const reading_rules& rules) {
    if (found == nullptr || found->group != format_group::byte_order_mark) return;
    if (rules.encoding == reading_rules::text::encoded_as_ours) stream.drop(found->magic.size());
}

} // namespace

result<std::unique_ptr<byte_stream>> open_bytes(const std::string& name, const reading_rules& rules,
                                                const cancellation& cancel) {
    auto opened = plain_stream::open(name, cancel);
    if (!opened) return fail(std::move(opened.error()));
    if (rules.compressed == reading_rules::packing::ignored) return std::unique_ptr<byte_stream>(std::move(*opened));
    auto file = std::make_unique<peeked_stream>(std::move(*opened));
    const auto found = format_of(*file, rules);
    if (!found) return fail(found.error());
    const file_format* outer = *found;
    if (outer == nullptr || outer->packed == compression::none) {
        if (outer != nullptr && is_refused(*outer, rules)) return fail(refusal(name, "is ", *outer, rules));
        leave_out_mark(*file, outer, rules);
        return std::unique_ptr<byte_stream>(std::move(file));
    }
    auto inside = std::make_unique<peeked_stream>(decompressed(std::move(file), name, outer->packed));
    if (rules.contents == contents_of::any && rules.encoding == reading_rules::text::of_any_encoding)
        return std::unique_ptr<byte_stream>(std::move(inside));
    const auto inner = format_of(*inside, rules);
    if (!inner) return fail(inner.error());
    if (*inner != nullptr && is_refused(**inner, rules)) {
        return fail(refusal(name, "its " + std::string(outer->name) + " contain ", **inner, rules));
    }
    leave_out_mark(*inside, *inner, rules);
    return std::unique_ptr<byte_stream>(std::move(inside));
}

result<void> refuse_other_formats(const std::string& name, const reading_rules& rules) {
    struct stat there {};
    // Opening a pipe would consume its contents, or wait.
    if (name == "-" || ::stat(name.c_str(), &there) != 0 || !S_ISREG(there.st_mode)) return {};
    const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    std::array<char, most_start_bytes> start;
    const ssize_t got = ::pread(file, start.data(), start.size(), 0);
    ::close(file);
    if (got <= 0 || rules.compressed == reading_rules::packing::ignored) return {};
    const std::string_view seen(start.data(), static_cast<std::size_t>(got));
    const file_format* found = recognise(seen).format;
    if (found == nullptr && rules.separator == '\n') found = recognise_bare_utf16(seen);
    if (found == nullptr || found->packed != compression::none || !is_refused(*found, rules)) return {};
    return fail(refusal(name, "is ", *found, rules));
}

} // namespace everbloom::cli
