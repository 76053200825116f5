// Connectionist temporal classification.
#include <fmt/format.h>

#include "app/cli/commands/op_tools.h"
#include "core/base/error.h"

namespace tilescope::cli {
namespace {

/// A length given directly, or as the maximum of random lengths: the tools then allocate sequences
/// of the maximum length.
std::int64_t lengthOf(const OpArguments& a, const std::string& key) {
    const std::int64_t most = a.number("max-" + key);
    const std::int64_t own = a.text(key) == "max" ? most : a.number(key);
    if (own < 1 || own > most)
        throw UserError(
            fmt::format("--{}: {} is not a length from 1 to --max-{} {}", key, own, key, most));
    return most;
}

std::int64_t atLeast(const OpArguments& a, const std::string& key, std::int64_t least) {
    const std::int64_t value = a.number(key);
    if (value < least)
        throw UserError(fmt::format("--{}: must be at least {}", key, least));
    return value;
}

sim::Graph lossGraph(const OpArguments& a, sim::DataType) {
    sim::CtcLossTool tool;
    tool.batchSize = atLeast(a, "batch", 1);
    tool.time = lengthOf(a, "time");
    tool.labelLength = lengthOf(a, "label-length");
    tool.classes = atLeast(a, "num-classes", 2);
    tool.logits = a.flag("logit-inputs");
    tool.outType = dataTypeOf(a.oneOf("out-type", {"half", "float"}));
    if (tool.time < 2)
        throw UserError("--max-time: alpha and beta need two time steps");
    if (tool.labelLength > tool.time)
        throw UserError(fmt::format("--max-label-length: a label of {} symbols does not fit "
                                    "--max-time {}",
                                    tool.labelLength, tool.time));
    return graphOf(tool, dataTypeOf(a.oneOf("in-type", {"half", "float"})));
}

sim::Graph searchGraph(const OpArguments& a, sim::DataType) {
    sim::CtcBeamSearchTool tool;
    tool.batchSize = atLeast(a, "batch", 1);
    tool.time = lengthOf(a, "time");
    tool.classes = atLeast(a, "num-classes", 2);
    tool.beamWidth = atLeast(a, "beamwidth", 1);
    tool.topPaths = atLeast(a, "top-paths", 1);
    tool.logits = a.flag("logit-inputs");
    if (tool.topPaths > tool.beamWidth)
        throw UserError(fmt::format("--top-paths: {} paths are more than --beamwidth {}",
                                    tool.topPaths, tool.beamWidth));
    return graphOf(tool, dataTypeOf(a.oneOf("in-type", {"half", "float"})));
}

} // namespace

std::vector<Tool> ctcTools() {
    const std::vector<IgnoredOptions> ignored{
        {"sequences and labels have their greatest length",
         {"min-time", "min-label-length", "disable-always-satisfiable-error"}},
        {"no values are computed", {"blank-class", "test-reduced-codelet-result"}},
        {"plans are those of the simulated planner", {"plan-constraints"}},
    };
    Tool loss{"ctc_loss",
              "Loss and gradient of connectionist temporal classification",
              {{"batch", "1"},
               {"time", "max"},
               {"max-time", "15"},
               {"label-length", "max"},
               {"max-label-length", "5"},
               {"num-classes", "4"},
               {"in-type", "float"},
               {"out-type", "float"},
               {"logit-inputs", "true"}},
              lossGraph};
    loss.ignored = ignored;
    Tool search{"ctc_beam_search",
                "Decoder of connectionist temporal classification",
                {{"batch", "1"},
                 {"time", "max"},
                 {"max-time", "15"},
                 {"num-classes", "4"},
                 {"beamwidth", "3"},
                 {"top-paths", "2"},
                 {"in-type", "float"},
                 {"logit-inputs", "false"}},
                searchGraph};
    search.ignored = ignored;
    search.ignored.insert(
        search.ignored.end(),
        {{"the decoder's input is all that matters", {"label-length", "max-label-length"}},
         {"probabilities have the type of partial sums", {"out-type"}}});
    search.json = {{"options",
                    {{"availableMemoryProportion", "available-memory-proportion"},
                     {"partialsType", "partials-type"}}}};
    return {std::move(loss), std::move(search)};
}

} // namespace tilescope::cli
