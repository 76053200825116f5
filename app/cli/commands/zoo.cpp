// `zoo export`: a built-in model as an ONNX file.
#include <boost/json.hpp>
#include <map>
#include <memory>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/commands/run_request.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"
#include "simulator/zoo/zoo.h"

namespace tilescope::cli {

void addZooCommand(CLI::App& app, Action& action) {
    struct ZooArguments {
        std::string name;
        std::string file;
        std::map<std::string, std::string> options; ///< by key of the option table
        FormatFlags flags;
    };
    CLI::App* zoo = app.add_subcommand("zoo", "Works with the built-in models");
    zoo->require_subcommand(1);
    CLI::App* command = zoo->add_subcommand("export", "Writes a built-in model as an ONNX file");
    const auto arguments = std::make_shared<ZooArguments>();
    command->add_option("NAME", arguments->name, "name of the model (see 'tilescope models')")
        ->required();
    command->add_option("FILE", arguments->file, "ONNX file to write")->required();
    addPairsOption(
        *command, "--model-option",
        "size or variant of the model (see 'tilescope models'); may be given several "
        "times",
        [arguments](const std::string& text) { arguments->options["modelOptions"] = text; });
    addJsonFlag(*command, arguments->flags);
    command->callback([arguments, &action] {
        action = [arguments](const Streams& streams) {
            RunOptions options;
            setRunOptions(options, arguments->options);
            sim::exportZooModel(arguments->name, options.model.sizes, arguments->file);
            if (arguments->flags.json)
                writeJson(streams.out, boost::json::object{{"model", arguments->name},
                                                           {"file", arguments->file}});
            else
                streams.out << "Wrote " << arguments->file << '\n';
            return exitYes;
        };
    });
}

} // namespace tilescope::cli
