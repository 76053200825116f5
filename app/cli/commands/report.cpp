// `report`: one section of a profile as text, JSON or CSV.
#include <boost/json.hpp>
#include <fmt/format.h>
#include <memory>
#include <ostream>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/report/graph_section.h"
#include "app/cli/report/report_json.h"
#include "app/cli/report/sections.h"
#include "app/cli/report/tree_text.h"
#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/base/suggest.h"

namespace tilescope::cli {
namespace {

struct ReportArguments {
    std::string profile;
    std::string section;
    std::optional<std::int32_t> tile;
    std::optional<std::int32_t> ipu;
    std::optional<std::int32_t> step;
    std::string breakdown;
    std::string filter;
    bool graph = false;
    std::vector<std::string> expand;
    FormatFlags flags;
};

const Section& sectionNamed(const std::string& name) {
    std::vector<std::string> names;
    for (const Section& section : reportSections()) {
        if (section.name == name)
            return section;
        names.push_back(section.name);
    }
    throw UserError(fmt::format("unknown section '{}': the sections are {}.{}", name,
                                fmt::join(names, ", "), didYouMean(name, names)));
}

/// An option that a section would ignore is an error, not a surprise.
void checkApplies(bool given, bool listens, const char* option, const Section& section) {
    if (given && !listens)
        throw UserError(
            fmt::format("option {} does not apply to section '{}'", option, section.name));
}

std::regex regexFrom(const std::string& text) {
    try {
        return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error&) {
        throw UserError(fmt::format("option --filter: '{}' is not a regular expression", text));
    }
}

ReportRequest requestFrom(const ReportArguments& a, const Section& section) {
    checkApplies(a.tile.has_value(), section.tiles, "--tile", section);
    checkApplies(a.ipu.has_value(), section.ipus, "--ipu", section);
    checkApplies(a.step.has_value(), section.steps, "--step", section);
    checkApplies(!a.breakdown.empty(), section.breakdowns, "--by", section);
    checkApplies(!a.filter.empty(), section.filters, "--filter", section);
    checkApplies(a.graph, section.name == "operations", "--graph", section);
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
    ReportRequest request;
    if (a.tile)
        request.selection = TileSelection::ofTile(TileId(*a.tile));
    else if (a.ipu)
        request.selection = TileSelection::ofIpu(IpuId(*a.ipu));
    if (a.step)
        request.step = StepId(*a.step);
    request.breakdown = a.breakdown;
    if (!a.filter.empty())
        request.filter = regexFrom(a.filter);
    return request;
}

int report(const ReportArguments& arguments, const Streams& streams) {
    const Section& section = sectionNamed(arguments.section);
    const ReportRequest request = requestFrom(arguments, section);
    const ProfileReader reader = openProfile(arguments.profile);
    const Format format = arguments.flags.format();
    if (arguments.graph)
        write(streams.out, graphDocument(reader, arguments.expand, format == Format::Text), format);
    else if (format == Format::Json)
        writeJson(streams.out, sectionJson(section, reader, request));
    else if (format == Format::Text && section.name == "programs")
        writeProgramTrees(streams.out, reader, request);
    else
        write(streams.out, section.make(reader, request), format);
    return exitYes;
}

} // namespace

void addReportCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("report", "Prints a section of a profile");
    const auto a = std::make_shared<ReportArguments>();
    std::string sections;
    for (const Section& section : reportSections())
        sections += (sections.empty() ? "" : "|") + section.name;
    command->add_option("PROFILE", a->profile, "profile.pop, or the directory it is in")
        ->required();
    command->add_option("SECTION", a->section, sections)->required();
    CLI::Option* tile = command->add_option("--tile", a->tile, "one tile");
    command->add_option("--ipu", a->ipu, "the tiles of one IPU")->excludes(tile);
    command->add_option("--step", a->step, "one step, with what is live or happens there");
    command->add_option("--by", a->breakdown, "none|region|category|liveness");
    command->add_option("--filter", a->filter, "regular expression that names must contain");
    command->add_flag("--graph", a->graph,
                      "operations: the model's graph, scopes with what is in them");
    command
        ->add_option("--expand", a->expand,
                     "--graph: a scope to show the content of, or all (repeatable)")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    addFormatFlags(*command, a->flags);
    command->callback([a, &action] {
        action = [a](const Streams& streams) {
            return namingFile(a->profile, [&] { return report(*a, streams); });
        };
    });
}

} // namespace tilescope::cli
