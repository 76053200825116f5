// `import`: captures of Poplar's profiles become profiles.
#include <boost/json.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <ostream>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/progress_line.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "core/import/import.h"
#include "core/store/profile_writer.h"

namespace tilescope::cli {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

struct ImportArguments {
    std::vector<std::string> inputs;
    std::string output;
    ImportOptions options;
    FormatFlags flags;
};

/// The profile that an input becomes: in DIR, or in a folder of its own if there are several.
fs::path profileOf(const ImportArguments& arguments, const fs::path& input) {
    fs::path folder = arguments.output;
    if (folder.empty() || arguments.inputs.size() > 1)
        folder /= input.stem();
    return folder / "profile.pop";
}

/// Throws if two inputs would become one profile.
void checkOutputs(const ImportArguments& arguments) {
    std::map<fs::path, std::string> outputs;
    for (const std::string& input : arguments.inputs) {
        const fs::path profile = profileOf(arguments, input);
        const auto [other, isNew] = outputs.try_emplace(profile, input);
        if (!isNew)
            throw UserError(fmt::format("'{}' and '{}' would both become '{}': import them one by "
                                        "one with -o",
                                        other->second, input, profile.string()));
        checkWritable(profile);
    }
}

json::object describe(const Imported& imported, const fs::path& input, const fs::path& profile) {
    json::array lacks;
    for (const CoverageRow& row : imported.profile.info.coverage.rows)
        lacks.push_back(json::object{
            {"part", toString(row.part)}, {"state", toString(row.state)}, {"why", row.why}});
    return {{"input", input.string()},
            {"profile", profile.string()},
            {"origin", toString(imported.profile.info.origin.kind)},
            {"target", imported.profile.info.target.name},
            {"steps", imported.executedSteps},
            {"flatSteps", imported.flatSteps},
            {"bodies", imported.profile.trace.bodies.size()},
            {"missing", json::array(imported.missing.begin(), imported.missing.end())},
            {"coverage", std::move(lacks)}};
}

void print(std::ostream& out, const Imported& imported, const fs::path& profile) {
    const ProfileInfo& info = imported.profile.info;
    out << fmt::format("{}: {}, {} of {} IPU{}\n", profile.string(), originText(info.origin),
                       info.target.name, info.target.ipus, info.target.ipus == 1 ? "" : "s");
    out << fmt::format(
        "  {} steps in {} bodies", withThousands(imported.executedSteps),
        withThousands(static_cast<std::int64_t>(imported.profile.trace.bodies.size())));
    if (imported.flatSteps > 0)
        out << fmt::format(", {} of them without a place in the program tree",
                           withThousands(imported.flatSteps));
    out << '\n';
    for (const std::string& missing : imported.missing)
        out << "  missing: " << printable(missing) << '\n';
}

int importProfiles(const ImportArguments& arguments, const Streams& streams) {
    checkOutputs(arguments);
    json::array all;
    bool complete = true;
    for (const std::string& input : arguments.inputs) {
        ProgressLine line(streams);
        const Imported imported = importFile(localFile(input, streams), arguments.options,
                                             [&](double done, std::string_view what) {
                                                 line.show(done, fmt::format("importing {}", what));
                                             });
        const fs::path profile = profileOf(arguments, input);
        writeProfile(imported.profile, profile);
        complete = complete && imported.missing.empty();
        if (arguments.flags.json)
            all.push_back(describe(imported, input, profile));
        else
            print(streams.out, imported, profile);
    }
    if (arguments.flags.json)
        writeJson(streams.out, all);
    return complete ? exitYes : exitNo;
}

} // namespace

void addImportCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "import", "Makes profiles of captures of Poplar's profiles (capture-script); status 1: "
                  "parts are missing");
    const auto a = std::make_shared<ImportArguments>();
    command->add_option("input", a->inputs, "captures")->required()->type_name("INPUT");
    command->add_option("-o,--output", a->output,
                        "folder for the profile, or for the folders of several [the capture's "
                        "name]");
    command->add_option("--target", a->options.target,
                        "the machine whose constants complete what the capture says [the nearest]");
    addJsonFlag(*command, a->flags);
    setAction(*command, action, a, importProfiles);
}

} // namespace tilescope::cli
