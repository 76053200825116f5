#include "simulator/pipeline/hints.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

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

constexpr HintWords stageWords{&Op::stageHint,     "stage", "__pipeline_stage or __ipu_number",
                               "__pipeline_stage", "IPUs",  "--ipus"};
constexpr HintWords phaseWords{&Op::phaseHint,      "phase",  "__execution_phase",
                               "__execution_phase", "phases", "--phases"};

/// Reads which IPU each stage runs on.
class StageMapper {
public:
    StageMapper(Graph& graph, std::int32_t ipus, const std::vector<std::int32_t>& mapping)
        : graph_(graph)
        , ipus_(ipus)
        , mapping_(mapping) {}

    void mapStages() {
        std::map<std::int32_t, std::set<std::int32_t>> stagesOnIpu;
        for (const Op& op : graph_.ops) {
            if (op.ipuHint >= ipus_)
                throw UserError(fmt::format("node '{}': it is annotated for __ipu_number {}, but "
                                            "there are {} IPUs; give --ipus {} or change it",
                                            op.onnxNode, op.ipuHint, ipus_, op.ipuHint + 1));
            if (op.stageHint >= 0 && op.ipuHint >= 0)
                stagesOnIpu[op.ipuHint].insert(op.stageHint);
        }
        for (Op& op : graph_.ops)
            if (op.stageHint < 0 && op.ipuHint >= 0)
                op.stageHint = stageOnIpu(op, stagesOnIpu);
        auto stages = static_cast<std::int32_t>(mapping_.size());
        for (const Op& op : graph_.ops)
            stages = std::max(stages, op.stageHint + 1);
        // IPUs that are not named get a stage of their own, which turns out empty.
        std::vector<const Op*> namedBy(static_cast<std::size_t>(stages), nullptr);
        for (const Op& op : graph_.ops)
            if (op.stageHint >= 0) {
                const Op*& first = namedBy[static_cast<std::size_t>(op.stageHint)];
                checkAgreement(first, op);
                if (first == nullptr || first->ipuHint < 0)
                    first = &op;
            }
        graph_.stageIpus.clear();
        for (std::int32_t stage = 0; stage < stages; ++stage)
            graph_.stageIpus.emplace_back(ipuOf(stage, namedBy[static_cast<std::size_t>(stage)]));
        for (std::int32_t ipu = 0; ipu < ipus_; ++ipu)
            if (std::find(graph_.stageIpus.begin(), graph_.stageIpus.end(), IpuId(ipu)) ==
                graph_.stageIpus.end())
                graph_.stageIpus.emplace_back(ipu);
    }

private:
    static std::int32_t
    stageOnIpu(const Op& op, const std::map<std::int32_t, std::set<std::int32_t>>& stagesOnIpu) {
        const auto found = stagesOnIpu.find(op.ipuHint);
        if (found == stagesOnIpu.end())
            return op.ipuHint;
        if (found->second.size() > 1)
            throw UserError(fmt::format("node '{}': it is annotated for __ipu_number {}, which "
                                        "runs stages {}; add a __pipeline_stage",
                                        op.onnxNode, op.ipuHint,
                                        fmt::join(found->second, " and ")));
        return *found->second.begin();
    }

    void checkAgreement(const Op* first, const Op& op) const {
        if (first == nullptr || first->ipuHint < 0 || op.ipuHint < 0 ||
            first->ipuHint == op.ipuHint || !mapping_.empty())
            return;
        throw UserError(fmt::format("node '{}': it puts __pipeline_stage {} on __ipu_number {}, "
                                    "but node '{}' puts it on {}; make them equal",
                                    op.onnxNode, op.stageHint, op.ipuHint, first->onnxNode,
                                    first->ipuHint));
    }

    [[nodiscard]] std::int32_t ipuOf(std::int32_t stage, const Op* namedBy) const {
        if (!mapping_.empty()) {
            if (stage < static_cast<std::int32_t>(mapping_.size()))
                return mapping_[static_cast<std::size_t>(stage)];
            throw UserError(fmt::format("node '{}': it is annotated for stage {}, but --device-"
                                        "mapping names the IPUs of {} stages; name more",
                                        namedBy == nullptr ? "" : namedBy->onnxNode, stage,
                                        mapping_.size()));
        }
        if (namedBy != nullptr && namedBy->ipuHint >= 0)
            return namedBy->ipuHint;
        if (stage < ipus_ || namedBy == nullptr) // a stage that stays empty is refused as such
            return stage % ipus_;
        throw UserError(fmt::format(
            "node '{}': it is annotated for stage {}, but there are {} IPUs; give --ipus {}, or "
            "specify with __ipu_number or --device-mapping which of them runs the stage",
            namedBy->onnxNode, stage, ipus_, stage + 1));
    }

    Graph& graph_;
    std::int32_t ipus_;
    const std::vector<std::int32_t>& mapping_; ///< empty: as annotated
};

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

    /// Operations on weights and inputs alone are placed where they are needed first.
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
                       [](const Op& op) { return op.stageHint >= 0 || op.ipuHint >= 0; });
}

void assignHintedStages(Graph& graph, std::int32_t ipus,
                        const std::vector<std::int32_t>& deviceMapping) {
    StageMapper(graph, ipus, deviceMapping).mapStages();
    HintedStages(graph, graph.stages(), stageWords).run();
}

void assignHintedPhases(Graph& graph, std::int32_t phases) {
    HintedStages(graph, phases, phaseWords).run();
}

} // namespace tilescope::sim
