// `report`: one section of a profile as text, JSON or CSV.
#include <boost/json.hpp>
#include <fmt/format.h>
#include <memory>
#include <ostream>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/document.h"
#include "app/cli/report/graph_section.h"
#include "app/cli/report/report_json.h"
#include "app/cli/summary_output.h"
#include "core/analysis/programs/programs.h"
#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/base/units.h"

namespace tilescope::cli {
namespace {

struct ReportArguments {
    std::string profile;
    std::string section;
    std::optional<std::int32_t> tile;
    std::optional<std::int32_t> ipu;
    std::optional<std::int32_t> step;
    std::optional<std::int32_t> run;
    std::string breakdown;
    std::string filter;
    std::string sources;
    bool graph = false;
    std::vector<std::string> expand;
    FormatFlags flags;
};

const Report& reportNamed(const std::string& name) {
    std::vector<std::string> names;
    for (const Report& report : allReports()) {
        if (report.id == name)
            return report;
        names.push_back(report.id);
    }
    throw UserError(fmt::format("unknown section '{}': the sections are {}.{}", name,
                                fmt::join(names, ", "), didYouMean(name, names)));
}

/// An option that a section would ignore is an error, not a surprise.
void checkApplies(bool given, bool listens, const char* option, const Report& report) {
    if (given && !listens)
        throw UserError(fmt::format("option {} does not apply to section '{}'", option, report.id));
}

Pattern patternFrom(const std::string& text) {
    try {
        return Pattern(text);
    } catch (const UserError& error) {
        throw UserError(fmt::format("option --filter: {}", error.what()));
    }
}

ReportRequest requestFrom(const ReportArguments& a, const Report& report) {
    const auto check = [&](bool given, ReportOption option, const char* flag) {
        checkApplies(given, report.listensTo(option), flag, report);
    };
    check(a.tile.has_value(), ReportOption::Tile, "--tile");
    check(a.ipu.has_value(), ReportOption::Ipu, "--ipu");
    check(a.step.has_value(), ReportOption::Step, "--step");
    check(a.run.has_value(), ReportOption::Run, "--run");
    check(!a.breakdown.empty(), ReportOption::By, "--by");
    check(!a.filter.empty(), ReportOption::Filter, "--filter");
    check(!a.sources.empty(), ReportOption::Sources, "--source-folder");
    checkApplies(a.graph, report.id == "operations", "--graph", report);
    if (!a.expand.empty() && !a.graph)
        throw UserError("option --expand: it applies to --graph only");
    if (a.graph && !a.filter.empty())
        throw UserError("option --filter: it does not apply to --graph; --expand chooses scopes");
    const auto notNegative = [](const char* option, std::optional<std::int32_t> value) {
        if (value && *value < 0)
            throw UserError(fmt::format("option {}: {} is negative", option, *value));
    };
    notNegative("--tile", a.tile);
    notNegative("--ipu", a.ipu);
    notNegative("--step", a.step);
    notNegative("--run", a.run);
    ReportRequest request;
    if (a.tile)
        request.selection = TileSelection::ofTile(TileId(*a.tile));
    else if (a.ipu)
        request.selection = TileSelection::ofIpu(IpuId(*a.ipu));
    if (a.step)
        request.step = StepId(*a.step);
    request.run = a.run;
    request.breakdown = a.breakdown;
    request.sources = a.sources;
    if (!a.filter.empty())
        request.filter = patternFrom(a.filter);
    return request;
}

/// Control programs and functions with the programs below them as indented lines, each with its
/// cycles; a filter keeps the lines whose label matches.
void writeProgramTrees(std::ostream& out, const ProfileView& profile,
                       const ReportRequest& request) {
    bool first = true;
    for (const ProgramTree& tree :
         programTrees(*profile.programs(), *profile.controlPrograms(), *profile.functions(),
                      *profile.computeSets(), *profile.exchanges())) {
        bool headed = false; // no heading if the filter leaves nothing
        for (const ProgramLine& line : tree.lines) {
            if (!request.wants(line.label))
                continue;
            if (!headed)
                out << (first ? "" : "\n") << printable(tree.title) << '\n';
            headed = true;
            first = false;
            out << std::string(static_cast<std::size_t>(line.depth + 1) * 2, ' ')
                << printable(line.label);
            if (line.cycles > 0)
                out << "  " << formatCycles(line.cycles);
            out << '\n';
        }
    }
    if (first)
        out << "none\n";
}

/// Whoever keeps figures that were not simulated here keeps where they come from.
boost::json::value withOrigin(boost::json::value document, const ProfileInfo& info) {
    if (boost::json::object* object = document.if_object();
        object != nullptr && info.origin != Origin())
        (*object)["origin"] = originJson(info.origin);
    return document;
}

/// Reachable, so that checkers of leaks do not report it.
void keepToTheEnd(std::unique_ptr<const ProfileView> profile) {
    static const ProfileView* kept = nullptr;
    delete std::exchange(kept, profile.release());
}

int printReport(const ReportArguments& arguments, const Streams& streams) {
    const Report& report = reportNamed(arguments.section);
    const ReportRequest request = requestFrom(arguments, report);
    std::unique_ptr<const ProfileView> opened(
        new ProfileView(openProfile(arguments.profile, streams)));
    const ProfileView& profile = *opened;
    const Format format = arguments.flags.format();
    if (arguments.graph)
        write(streams.out, graphDocument(profile, arguments.expand, format == Format::Text),
              format);
    else if (format == Format::Json)
        writeJson(streams.out, withOrigin(reportJson(report, profile, request), profile.info()));
    else if (format == Format::Text && report.id == "programs")
        writeProgramTrees(streams.out, profile, request);
    else
        write(streams.out, makeReport(report, profile, request), format);
    // Freeing the parts of a long profile, one by one, takes a twentieth of a report's time.
    if (streams.endsProcess)
        keepToTheEnd(std::move(opened));
    return exitYes;
}

} // namespace

void addReportCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("report", "Prints a section of a profile");
    const auto a = std::make_shared<ReportArguments>();
    std::string sections;
    for (const Report& report : allReports())
        sections += (sections.empty() ? "" : "|") + report.id;
    addProfileArgument(*command, a->profile);
    command->add_option("SECTION", a->section, sections)->required();
    CLI::Option* tile = command->add_option("--tile", a->tile, "one tile");
    command->add_option("--ipu", a->ipu, "the tiles of one IPU")->excludes(tile);
    command->add_option("--step", a->step, "one step, with what is live or happens there");
    command->add_option("--run", a->run, "operations: one run, the last if not given");
    command->add_option(
        "--by", a->breakdown,
        "memory: none|region|category|liveness; operations: "
        "place|shared|scope[:DEPTH]|type|library|step; source: "
        "line|statement|function|file|stack, each also with ':libraries'; trace: run|time; values: "
        "tensor|iteration|exponent|update");
    command->add_option("--filter", a->filter, "regular expression that names must contain");
    command->add_option("--source-folder", a->sources,
                        "source: the folder of the program's files, which are compared with the "
                        "texts in the profile (default: that of the recorded files, if the profile "
                        "is in it)");
    command->add_flag("--graph", a->graph,
                      "operations: the model's graph, scopes with what is in them");
    command
        ->add_option("--expand", a->expand,
                     "--graph: a scope whose content is shown, or all (repeatable)")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    addFormatFlags(*command, a->flags);
    setProfileAction(*command, action, a, printReport);
}

} // namespace tilescope::cli
