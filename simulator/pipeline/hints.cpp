#include "simulator/pipeline/hints.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"

namespace tilescope::sim {
namespace {

/// What is assigned, in the words of the annotation and of the option that counts it.
struct HintWords {
    std::int32_t Op::*hint;
    const char* one;        ///< "stage"
    const char* annotation; ///< "__pipeline_stage or __ipu_number"
    const char* set;        ///< "__pipeline_stage"
    const char* counted;    ///< "IPUs"
    const char* option;     ///< "--ipus"
};

constexpr HintWords stageWords{&Op::stageHint, "stage", "__pipeline_stage or __ipu_number",
                               "__pipeline_stage", "IPUs", "--ipus"};
constexpr HintWords phaseWords{&Op::phaseHint, "phase", "__execution_phase", "__execution_phase",
                               "phases", "--phases"};

class HintedStages {
public:
    HintedStages(Graph& graph, std::int32_t stages, const HintWords& words)
        : graph_(graph)
        , words_(words)
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
            if (hintOf(op) >= stages_)
                throw UserError(fmt::format("node '{}': it is annotated for {} {}, but there are "
                                            "{} {}; give {} {} or change its {}",
                                            op.onnxNode, words_.one, hintOf(op), stages_,
                                            words_.counted, words_.option, hintOf(op) + 1,
                                            words_.annotation));
    }

    void followProducers() {
        for (Op& op : graph_.ops) {
            op.stage = hintOf(op);
            for (const TensorId in : op.inputs) {
                const OpId maker = producers_[in.index()];
                if (!maker.valid())
                    continue;
                const Op& producer = graph_.ops[maker];
                if (hintOf(op) >= 0 && producer.stage > hintOf(op))
                    throw UserError(fmt::format(
                        "node '{}': it is in {} {}, but reads from node '{}' of the later {} {}; a "
                        "{} reads from earlier ones only, so move one of them",
                        op.onnxNode, words_.one, hintOf(op), producer.onnxNode, words_.one,
                        producer.stage, words_.one));
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
                if (!maker.valid() || hintOf(graph_.ops[maker]) >= 0)
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
                    "no node is annotated for {0} {1} of {2}: annotate one with {3} = {1}, give "
                    "fewer {4}, or name the {0}s by --split",
                    words_.one, stage, stages_, words_.set, words_.option));
    }

    void sortByStage() {
        std::vector<Op> ops(graph_.ops.begin(), graph_.ops.end());
        std::stable_sort(ops.begin(), ops.end(),
                         [](const Op& a, const Op& b) { return a.stage < b.stage; });
        graph_.ops = {};
        for (Op& op : ops)
            graph_.ops.add(std::move(op));
    }

    [[nodiscard]] std::int32_t hintOf(const Op& op) const { return op.*words_.hint; }

    Graph& graph_;
    const HintWords& words_;
    std::int32_t stages_;
    std::vector<OpId> producers_;
};

} // namespace

bool hasStageHints(const Graph& graph) {
    return std::any_of(graph.ops.begin(), graph.ops.end(),
                       [](const Op& op) { return op.stageHint >= 0; });
}

void assignHintedStages(Graph& graph, std::int32_t stages) {
    HintedStages(graph, stages, stageWords).run();
}

void assignHintedPhases(Graph& graph, std::int32_t phases) {
    HintedStages(graph, phases, phaseWords).run();
}

} // namespace tilescope::sim
