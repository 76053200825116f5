// Layers that run once for each time step.
#include "app/cli/commands/op_tools.h"
#include "core/base/error.h"

namespace tilescope::cli {
namespace {

sim::Phases phasesOf(const OpArguments& a) {
    const std::string& phase = a.oneOf("phase", {"all", "fwd", "bwd", "wu"});
    return {phase != "fwd" && !a.inferenceOnly,
            (phase == "all" || phase == "wu") && !a.inferenceOnly};
}

sim::Graph recurrentGraph(sim::CellKind kind, const OpArguments& a, sim::DataType type) {
    sim::RecurrentLayer layer;
    layer.kind = kind;
    layer.sequenceSize = a.number("sequence-size");
    layer.inputSize = a.number("input-size");
    layer.outputSize = a.number("output-size");
    layer.batchSize = a.number("batch-size");
    layer.preWeightInput = a.flag("pre-weight-input");
    layer.outputFullSequence = a.flag("output-all-sequence");
    layer.ignoreInputGradient = a.flag("ignore-input-gradient");
    if (kind == sim::CellKind::Gru)
        layer.resetAfter = a.flag("reset-after");
    const std::string& direction = a.oneOf("direction", {"forward", "reverse", "bidirectional"});
    layer.backwards = direction == "reverse";
    layer.both = direction == "bidirectional";
    layer.phases = phasesOf(a);
    for (const auto& [key, value] :
         {std::pair("sequence-size", layer.sequenceSize), std::pair("input-size", layer.inputSize),
          std::pair("output-size", layer.outputSize), std::pair("batch-size", layer.batchSize)})
        if (value < 1)
            throw UserError(std::string("--") + key + ": must be at least 1");
    return graphOf(layer, type);
}

/// Of PopLibs' tools/lstm_layer.cpp, gru_layer.cpp and rnn_layer.cpp.
std::vector<IgnoredOptions> ignoredOf(sim::CellKind kind) {
    std::vector<IgnoredOptions> made{
        {"the layer runs once, on one IPU", {"runs", "shards"}},
        {"functions are found where code repeats", {"code-reuse"}},
        {"all sequences have the whole length", {"variable-time-steps", "with-real-time-steps"}}};
    if (kind != sim::CellKind::Rnn)
        made.insert(made.end(), {{"the order of gates moves nothing", {"cell-order"}},
                                 {"activations are the cell's usual ones",
                                  {"activation", "recurrent-activation"}}});
    if (kind == sim::CellKind::Lstm)
        made.push_back(
            {"weights' gradients are planned by their size",
             {"accumulators-type", "disable-wu-partial-interleaving", "ignore-final-state",
              "recomputation-mode", "steps-per-wu", "wu-memory-proportion"}});
    if (kind == sim::CellKind::Gru)
        made.push_back({"attention is not simulated", {"with-attention"}});
    return made;
}

Tool recurrentTool(const char* name, const char* help, sim::CellKind kind) {
    std::map<std::string, std::string> defaults{{"sequence-size", ""},
                                                {"input-size", ""},
                                                {"output-size", ""},
                                                {"batch-size", "1"},
                                                {"pre-weight-input", "false"},
                                                {"output-all-sequence", "true"},
                                                {"ignore-input-gradient", "false"},
                                                {"direction", "forward"},
                                                {"phase", "fwd"}};
    if (kind == sim::CellKind::Gru)
        defaults["reset-after"] = "false";
    // None of them asks for compiled code: TestDevice.hpp has compileIPUCode false.
    Tool tool{
        name, help, std::move(defaults),
        [kind](const OpArguments& a, sim::DataType type) { return recurrentGraph(kind, a, type); },
        false};
    tool.ignored = ignoredOf(kind);
    return tool;
}

} // namespace

std::vector<Tool> recurrentTools() {
    return {
        recurrentTool("lstm_layer", "A layer of LSTM cells: --phase fwd, bwd, wu or all",
                      sim::CellKind::Lstm),
        recurrentTool("gru_layer", "A layer of GRU cells: --phase fwd, bwd, wu or all",
                      sim::CellKind::Gru),
        recurrentTool("rnn_layer", "A layer of plain recurrent cells: --phase fwd, bwd, wu or all",
                      sim::CellKind::Rnn),
    };
}

} // namespace tilescope::cli
