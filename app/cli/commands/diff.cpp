// `diff`: what changed between two profiles, and whether too much did.
#include <algorithm>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <memory>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/diff/diff_output.h"
#include "app/cli/document.h"
#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/report/compared_lines.h"

namespace tilescope::cli {
namespace {

struct DiffArguments {
    std::string source;
    std::string target;
    std::string section = "summary";
    std::int64_t top = 10;
    std::vector<std::string> limits;
    bool listMetrics = false;
    bool perSample = false;
    FormatFlags flags;
};

std::vector<Threshold> thresholdsOf(const DiffArguments& arguments) {
    std::vector<Threshold> thresholds;
    for (const std::string& text : arguments.limits)
        thresholds.push_back(parseThreshold(text));
    return thresholds;
}

void checkSection(const DiffArguments& arguments) {
    const auto& sections = diffSections();
    if (std::find(sections.begin(), sections.end(), arguments.section) == sections.end())
        throw UserError(fmt::format("unknown section '{}': the sections are {}.{}",
                                    arguments.section, fmt::join(sections, ", "),
                                    didYouMean(arguments.section, sections)));
}

bool showsLines(const DiffArguments& arguments) {
    return arguments.section == "lines" ||
           (arguments.section == "summary" && arguments.flags.format() == Format::Json);
}

DiffResult compare(const DiffArguments& arguments, const Streams& streams) {
    // Errors in thresholds are reported before anything is read.
    const std::vector<Threshold> thresholds = thresholdsOf(arguments);
    const auto viewOf = [&streams](const std::string& path) {
        return std::make_shared<const ProfileView>(openProfile(path, streams).reader());
    };
    const ProfilePair pair(viewOf(arguments.source), viewOf(arguments.target));
    // Errors found only now may be in either file.
    const std::string both = arguments.source + "' or '" + arguments.target;
    Comparison comparison = namingFile(both, [&] { return compareProfiles(pair); });
    DiffResult result{arguments.source,
                      arguments.target,
                      arguments.perSample ? perSample(std::move(comparison))
                                          : std::move(comparison),
                      {}};
    result.values = namingFile(
        both, [&] { return compareValues(*pair.source->values(), *pair.target->values()); });
    result.waterfall = namingFile(both, [&] {
        return waterfallBetween(*pair.source, *pair.target,
                                arguments.perSample ? WaterfallBasis::Sample
                                                    : WaterfallBasis::SampleIfRunsDiffer);
    });
    if (showsLines(arguments)) // they take reading, and may be damaged
        result.lines = namingFile(both, [&] {
            return comparedLinesTable(pair, arguments.perSample ? WaterfallBasis::Sample
                                                                : WaterfallBasis::Run);
        });
    std::vector<std::optional<double>> before;
    std::vector<std::optional<double>> after;
    for (const ComparedMetric& metric : result.comparison.metrics) {
        before.push_back(metric.source);
        after.push_back(metric.target);
    }
    for (const Threshold& threshold : thresholds)
        result.thresholds.push_back(checkThreshold(threshold, before, after));
    return result;
}

void print(const DiffArguments& arguments, const DiffResult& result, const Streams& streams) {
    const Format format = arguments.flags.format();
    const std::size_t rows = arguments.top == 0 || format != Format::Text
                                 ? std::numeric_limits<std::size_t>::max()
                                 : static_cast<std::size_t>(arguments.top);
    if (format == Format::Json && arguments.section == "summary")
        return writeJson(streams.out, diffJson(result));
    if (format == Format::Text && arguments.section == "summary")
        return write(streams.out, diffSummary(result, rows), format);
    // The main table of a comparison is the one of metrics.
    const std::string& section =
        arguments.section == "summary" ? std::string("metrics") : arguments.section;
    write(streams.out, diffSection(result, section, rows, format), format);
}

int diff(const DiffArguments& arguments, const Streams& streams) {
    if (arguments.listMetrics) {
        write(streams.out, {{}, {metricsList()}}, arguments.flags.format());
        return exitYes;
    }
    if (arguments.source.empty() || arguments.target.empty())
        throw UserError("two profiles are needed: SOURCE and TARGET. See 'tilescope diff --help'.");
    if (arguments.top < 0)
        throw UserError(fmt::format("option --top: {} is negative", arguments.top));
    checkSection(arguments);
    const DiffResult result = compare(arguments, streams);
    print(arguments, result, streams);
    int status = exitYes;
    for (const ThresholdResult& threshold : result.thresholds)
        if (threshold.exceeded) {
            streams.err << "tilescope: threshold exceeded: " << printable(threshold.text) << '\n';
            status = exitNo;
        }
    return status;
}

} // namespace

void addDiffCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "diff", "Compares two profiles: verdict, causes, plans and everything else that changed");
    const auto a = std::make_shared<DiffArguments>();
    command->add_option("SOURCE", a->source,
                        "profile.pop or the directory it is in, or ssh://host/path");
    command->add_option("TARGET", a->target, "the profile to compare it with");
    std::string sections;
    for (const std::string& section : diffSections())
        sections += (sections.empty() ? "" : "|") + section;
    command->add_option("--section", a->section, sections);
    command->add_option("--top", a->top, "lines of each table in text, 0 for all (default 10)");
    command
        ->add_option("--fail-if", a->limits,
                     "exit with 1 if METRIC changed by more: 'maxTile>+2%', 'cycles>+1000', "
                     "'maxTile>600KiB'; may be given several times")
        ->allow_extra_args(false);
    command->add_flag("--list-metrics", a->listMetrics, "print the metrics that --fail-if accepts");
    command->add_flag("--per-sample", a->perSample,
                      "divide memory of all tiles by the samples of a micro-batch, and cycles and "
                      "times by those of a run");
    addFormatFlags(*command, a->flags);
    setAction(*command, action, a, diff);
}

} // namespace tilescope::cli
