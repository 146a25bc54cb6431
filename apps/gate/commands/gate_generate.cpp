// gate generate: synthetic traffic for the gate, with a blacklist, patterns and queries.
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "gate/commands/gate_commands.hpp"
#include "gate/traffic_files.hpp"
#include "output/progress.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <memory>

namespace everbloom::cli {
namespace {

struct generate_flags {
    std::string packets = "1M";
    std::string senders = "20k";
    std::string bad_share = "5%";
    std::string patterns = "1000";
    std::string longest = "4";
    std::string seed = "1";
    std::string format = "raw";
    std::string directory;
    bool force = false;
    summary_flags output;
};

result<traffic_plan> plan_of(const generate_flags& flags) {
    traffic_plan plan;
    for (const auto& [into, flag, text] : {std::tuple{&plan.packets, "--packets", &flags.packets},
                                           {&plan.senders, "--senders", &flags.senders},
                                           {&plan.patterns, "--patterns", &flags.patterns},
                                           {&plan.longest, "--longest", &flags.longest},
                                           {&plan.seed, "--seed", &flags.seed}}) {
        const auto value = size_of_flag(flag, *text);
        if (!value) return fail(value.error());
        *into = *value;
    }
    const auto share = rate_of_flag("--bad-share", flags.bad_share);
    if (!share) return fail(share.error());
    plan.bad_share = *share;
    if (auto sound = check(plan); !sound) return fail(std::move(sound.error()));
    return plan;
}

result<int> run_generate(const generate_flags& flags) {
    const auto plan = plan_of(flags);
    if (!plan) return fail(plan.error());
    interruption stopper;
    progress bar(flags.output.progress_mode(), plan->packets, "packets");
    const traffic_format format = flags.format == "pcap"   ? traffic_format::pcap
                                  : flags.format == "text" ? traffic_format::text
                                                           : traffic_format::raw;
    const auto existing = flags.force ? existing_files::replace : existing_files::keep;
    const auto files =
        write_traffic(*plan, format, flags.directory, existing, [&](std::uint64_t packets) -> result<void> {
            bar.advance(packets, packets);
            return stopper.check();
        });
    if (!files) return fail(files.error());
    if (flags.output.as_json) {
        print_document({{"packets", plan->packets},
                        {"senders", plan->senders},
                        {"bad_share", plan->bad_share},
                        {"seed", plan->seed},
                        {"files",
                         {{"packets", files->packets},
                          {"blacklist", files->blacklist},
                          {"patterns", files->patterns},
                          {"queries", files->queries}}}});
    } else if (flags.output.wants_text()) {
        fmt::print("wrote {} from {} to {}; judge them with:\n", counted(plan->packets, "packet"),
                   counted(plan->senders, "sender"), files->packets);
        fmt::print("  everbloom gate --blacklist {} --patterns {} --packets {} --query {} --compare\n",
                   files->blacklist, files->patterns, files->packets, files->queries);
    }
    return exit_done;
}

} // namespace

void declare_gate_generate(command_line& line) {
    auto flags = std::make_shared<generate_flags>();
    command_flags command =
        line.add("gate generate", "Generate synthetic traffic for the gate",
                 "everbloom gate generate --packets 10k --senders 100 --bad-share 10% --seed 7 --out small\n"
                 "everbloom gate generate --packets 1000 --senders 10 --format pcap --out capture",
                 [flags] { return run_generate(*flags); });
    command.add_option("--packets", flags->packets, "number of packets")->type_name("N")->capture_default_str();
    command.add_option("--senders", flags->senders, "number of senders")->type_name("N")->capture_default_str();
    command.add_option("--bad-share", flags->bad_share, "share of senders that send bad data")
        ->type_name("P")
        ->capture_default_str();
    command.add_option("--patterns", flags->patterns, "number of patterns of bad data")
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--longest", flags->longest, "length of the longest pattern, in words")
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--seed", flags->seed, "seed of the random generator")->type_name("N")->capture_default_str();
    command.add_option("--format", flags->format, "packet format")
        ->one_of({"raw", "text", "pcap"})
        ->capture_default_str();
    command.add_option("--out", flags->directory, "output directory; created if it does not exist")
        ->type_name("DIR")
        ->required();
    command.add_flag("--force", flags->force, "overwrite existing files");
    flags->output.declare(command);
}

} // namespace everbloom::cli
