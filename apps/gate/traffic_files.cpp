#include "gate/traffic_files.hpp"

#include "filters/output_file.hpp"
#include "gate/callback_file.hpp"
#include "gate/rolling_hash.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace everbloom::cli {
namespace {

constexpr std::uint64_t packets_between_reports = 4096;
constexpr std::uint64_t most_made_packets = 1'000'000'000'000; // 8 TB
constexpr std::uint64_t most_made_words = 100'000'000;         // of patterns, which are kept in memory
constexpr std::uint64_t most_made_senders = 100'000'000;
constexpr std::uint64_t most_made_patterns = 10'000'000;

void put_big_endian(std::uint8_t* into, std::uint32_t number) noexcept {
    for (int i = 0; i < 4; ++i) into[i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
}

unexpected<failure> cannot_write_traffic(const std::string& path) {
    return fail(failure_reason::input_output, fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

struct close_file {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using open_file = std::unique_ptr<std::FILE, close_file>;

/// Writes packets in one of the formats.
class packet_writer {
public:
    packet_writer(std::FILE* file, traffic_format format) : file_(file), format_(format) {
        if (format == traffic_format::pcap) {
            capture_ = ::pcap_open_dead(DLT_EN10MB, 65535);
            if (capture_ == nullptr) throw std::bad_alloc();
            dump_ = ::pcap_dump_fopen(capture_, file_);
        }
    }
    packet_writer(const packet_writer&) = delete;
    packet_writer& operator=(const packet_writer&) = delete;
    ~packet_writer() {
        if (dump_ != nullptr) ::pcap_dump_flush(dump_); // closing it would close the file, which it does not own
        if (capture_ != nullptr) ::pcap_close(capture_);
    }

    void write(const made_packet& one, std::uint64_t index) {
        if (format_ == traffic_format::raw) {
            std::array<std::uint8_t, 8> bytes{};
            put_big_endian(bytes.data(), one.sender);
            put_big_endian(bytes.data() + 4, one.data);
            std::fwrite(bytes.data(), 1, bytes.size(), file_);
        } else if (format_ == traffic_format::text) {
            const std::string line = fmt::format("{} {:08x}\n", ip_address::v4(one.sender).text(), one.data);
            std::fwrite(line.data(), 1, line.size(), file_);
        } else {
            write_frame(one, index);
        }
    }

private:
    /// An Ethernet frame with an IPv4 datagram of UDP with four bytes.
    void write_frame(const made_packet& one, std::uint64_t index) {
        std::array<std::uint8_t, 46> frame{2,    0,    0,    0,    0,   1,  2,    0, 0,  0,  0, 2,
                                           0x08, 0x00,                                             // to, from, IPv4
                                           0x45, 0,    0,    32,   0,   0,  0x40, 0, 64, 17, 0, 0, // 32 bytes, UDP
                                           0,    0,    0,    0,    192, 0,  2,    1,  // from the sender to 192.0.2.1
                                           0x1F, 0x90, 0x1F, 0x90, 0,   12, 0,    0}; // port 8080 to 8080
        put_big_endian(frame.data() + 26, one.sender);
        put_big_endian(frame.data() + 42, one.data);
        std::uint32_t sum = 0;
        for (std::size_t i = 14; i < 34; i += 2) sum += std::uint32_t{frame[i]} << 8 | frame[i + 1];
        sum = (sum & 0xFFFF) + (sum >> 16);
        sum = ~((sum & 0xFFFF) + (sum >> 16)) & 0xFFFF;
        frame[24] = static_cast<std::uint8_t>(sum >> 8);
        frame[25] = static_cast<std::uint8_t>(sum);
        pcap_pkthdr header{};
        header.ts.tv_sec = static_cast<time_t>(index / 1'000'000);
        header.ts.tv_usec = static_cast<suseconds_t>(index % 1'000'000);
        header.caplen = header.len = frame.size();
        ::pcap_dump(reinterpret_cast<u_char*>(dump_), &header, frame.data());
    }

    std::FILE* file_;
    traffic_format format_;
    pcap_t* capture_ = nullptr;
    pcap_dumper_t* dump_ = nullptr;
};

std::string lines_of(const std::vector<std::uint32_t>& addresses) {
    std::string text;
    for (const std::uint32_t one : addresses) text += ip_address::v4(one).text() + "\n";
    return text;
}

/// For a FILE (callback_file.hpp): writes to the output file and keeps the failure.
struct written_by_stdio {
    output_file& to;
    result<void> done = {};

    ssize_t write(const char* bytes, std::size_t count) {
        done = to.write(std::as_bytes(std::span(bytes, count)));
        return done ? static_cast<ssize_t>(count) : 0;
    }
};

/// Writes and flushes the packets, but does not rename the file yet.
result<void> prepare_packets(output_file& to, traffic& made, std::uint64_t count, traffic_format format,
                             const std::function<result<void>(std::uint64_t)>& progress) {
    written_by_stdio sink{to};
    open_file file(open_for_writing(sink));
    if (!file) return cannot_write_traffic(to.target());
    result<void> written;
    {
        packet_writer writer(file.get(), format);
        for (std::uint64_t i = 0; i < count && written; ++i) {
            writer.write(made.next(), i);
            if ((i + 1) % packets_between_reports == 0) written = progress(packets_between_reports);
        }
    }
    if (written && (std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0)) {
        written = sink.done ? cannot_write_traffic(to.target()) : sink.done;
    }
    return written ? to.prepare() : written;
}

} // namespace

result<void> check(const traffic_plan& plan) {
    const auto within = [](const char* flag, std::uint64_t value, std::uint64_t least,
                           std::uint64_t most) -> result<void> {
        if (value >= least && value <= most) return {};
        return fail(failure_reason::bad_parameter,
                    fmt::format("{}: {} is out of range ({} to {})", flag, value, least, grouped(most)));
    };
    if (auto sound = within("--packets", plan.packets, 0, most_made_packets); !sound) return sound;
    if (auto sound = within("--senders", plan.senders, 1, most_made_senders); !sound) return sound;
    if (auto sound = within("--patterns", plan.patterns, 0, most_made_patterns); !sound) return sound;
    if (auto sound = within("--longest", plan.longest, 1, most_pattern_words); !sound) return sound;
    if (plan.patterns * plan.longest > most_made_words) {
        return fail(
            failure_reason::bad_parameter,
            fmt::format("--patterns: {} patterns of up to {} words exceed the limit of {} words in total; use fewer "
                        "patterns or a smaller --longest",
                        grouped(plan.patterns), plan.longest, grouped(most_made_words)));
    }
    return {};
}

result<traffic_files> write_traffic(const traffic_plan& plan, traffic_format format, const std::string& directory,
                                    existing_files existing,
                                    const std::function<result<void>(std::uint64_t)>& progress) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) return fail(failure_reason::input_output, fmt::format("--out: {}: {}", directory, error.message()));
    constexpr std::array<const char*, 3> endings{"raw", "txt", "pcap"};
    const traffic_files files{fmt::format("{}/packets.{}", directory, endings[static_cast<std::size_t>(format)]),
                              directory + "/blacklist.txt", directory + "/patterns.txt", directory + "/queries.txt"};
    for (const std::string& one : {files.packets, files.blacklist, files.patterns, files.queries}) {
        if (existing == existing_files::keep && std::filesystem::exists(one)) {
            return fail(failure_reason::bad_parameter, one + ": already exists; --force replaces it");
        }
    }
    traffic made(plan);
    // All files are complete before the first one is renamed.
    std::vector<output_file> outputs;
    for (const auto& [path, text] : {std::pair(files.blacklist, lines_of(made.blacklist())),
                                     {files.patterns, made.patterns().text()},
                                     {files.queries, lines_of(made.queries())},
                                     {files.packets, std::string()}}) {
        auto begun = output_file::begin_other(path, {}, readers::by_umask);
        if (!begun) return fail(std::move(begun.error()));
        outputs.push_back(std::move(*begun));
        const bool is_packets = path == files.packets;
        auto prepared = is_packets ? prepare_packets(outputs.back(), made, plan.packets, format, progress)
                                   : outputs.back().prepare_text(text);
        if (!prepared) return fail(std::move(prepared.error()));
    }
    for (output_file& one : outputs) {
        if (auto published = one.publish(); !published) return fail(std::move(published.error()));
    }
    return files;
}

} // namespace everbloom::cli
