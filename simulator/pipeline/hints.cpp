#include "simulator/pipeline/hints.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"

namespace tilescope::sim {
namespace {

class HintedStages {
public:
    HintedStages(Graph& graph, std::int32_t stages)
        : graph_(graph)
        , stages_(stages)
        , producers_(graph.producers()) {}

    void run() {
        checkHints();
        followProducers();
        followConsumers();
        requireEachStage();
        sortByStage();
    }

private:
    void checkHints() const {
        for (const Op& op : graph_.ops)
            if (op.stageHint >= stages_)
                throw UserError(fmt::format("node '{}': it is annotated for stage {}, but there "
                                            "are {} IPUs; give --ipus {} or change its "
                                            "__pipeline_stage or __ipu_number",
                                            op.onnxNode, op.stageHint, stages_,
                                            op.stageHint + 1));
    }

    void followProducers() {
        for (Op& op : graph_.ops) {
            op.stage = op.stageHint;
            for (const TensorId in : op.inputs) {
                const OpId maker = producers_[in.index()];
                if (!maker.valid())
                    continue;
                const Op& producer = graph_.ops[maker];
                if (op.stageHint >= 0 && producer.stage > op.stageHint)
                    throw UserError(fmt::format(
                        "node '{}': it is in stage {}, but reads from node '{}' of the later stage "
                        "{}; a stage reads from earlier ones only, so move one of them",
                        op.onnxNode, op.stageHint, producer.onnxNode, producer.stage));
                op.stage = std::max(op.stage, producer.stage);
            }
        }
    }

    /// Operations on weights and inputs alone stand where they are needed first.
    void followConsumers() {
        std::vector<bool> open;
        for (const Op& op : graph_.ops)
            open.push_back(op.stage < 0);
        for (std::size_t i = graph_.ops.size(); i-- > 0;) {
            const Op& op = graph_.ops[OpId(i)];
            for (const TensorId in : op.inputs) {
                const OpId maker = producers_[in.index()];
                if (!maker.valid() || graph_.ops[maker].stageHint >= 0)
                    continue;
                std::int32_t& stage = graph_.ops[maker].stage;
                if (open[maker.index()] && (stage < 0 || op.stage < stage))
                    stage = op.stage;
            }
        }
        for (Op& op : graph_.ops)
            op.stage = std::max(op.stage, 0);
    }

    void requireEachStage() const {
        for (std::int32_t stage = 0; stage < stages_; ++stage)
            if (std::none_of(graph_.ops.begin(), graph_.ops.end(),
                             [&](const Op& op) { return op.stage == stage; }))
                throw UserError(fmt::format(
                    "no node is annotated for stage {} of {}: annotate one with __pipeline_stage = "
                    "{}, give fewer --ipus, or name the stages by --split",
                    stage, stages_, stage));
    }

    void sortByStage() {
        std::vector<Op> ops(graph_.ops.begin(), graph_.ops.end());
        std::stable_sort(ops.begin(), ops.end(),
                         [](const Op& a, const Op& b) { return a.stage < b.stage; });
        graph_.ops = {};
        for (Op& op : ops)
            graph_.ops.add(std::move(op));
    }

    Graph& graph_;
    std::int32_t stages_;
    std::vector<OpId> producers_;
};

} // namespace

bool hasStageHints(const Graph& graph) {
    return std::any_of(graph.ops.begin(), graph.ops.end(),
                       [](const Op& op) { return op.stageHint >= 0; });
}

void assignHintedStages(Graph& graph, std::int32_t stages) {
    HintedStages(graph, stages).run();
}

} // namespace tilescope::sim
