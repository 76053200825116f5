#include "simulator/pipeline/recompute.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/options/option_error.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/pipeline/stages.h"

namespace tilescope::sim {
namespace {

class Marker {
public:
    Marker(Graph& graph, const MemoryOptions& options, bool isPipelined)
        : graph_(graph)
        , options_(options)
        , isPipelined_(isPipelined)
        , kept_(graph.ops.size()) {
        for (std::size_t i = 0; i < graph.ops.size(); ++i)
            if (graph.ops[OpId(i)].pass == Pass::Forward && !updatesState(graph.ops[OpId(i)]))
                forward_.push_back(i);
    }

    void run() {
        keepCheckpoints();
        keepAnnotated();
        if (isPipelined_)
            keepSent();
        switch (options_.recompute) {
        case Recompute::None:
            markAnnotated();
            return;
        case Recompute::Pipeline:
            markStages();
            return;
        case Recompute::All:
            markBetweenCheckpoints();
            return;
        case Recompute::NormOnly:
            markNorms();
            return;
        case Recompute::Standard:
            keepLeastLive();
            markBetweenCheckpoints();
            return;
        }
    }

private:
    [[nodiscard]] Op& op(std::size_t i) { return graph_.ops[OpId(i)]; }

    /// Running statistics are updated once a micro-batch.
    static bool updatesState(const Op& op) {
        const auto* elementwise = std::get_if<ElementwiseAttributes>(&op.attributes);
        return elementwise && traitsOf(elementwise->function).updatesInPlace;
    }

    void keepCheckpoints() {
        for (const std::string& name : options_.checkpoints) {
            bool found = false;
            for (const std::size_t i : forward_)
                if (isInScope(op(i).name, name)) {
                    kept_[i] = kept_[i] || op(i).name == name || leaves(i, name);
                    found = true;
                }
            if (!found)
                throw OptionError("checkpoint",
                                  fmt::format("the model has no operation or scope '{}'", name));
        }
    }

    /// True if a forward operation outside of the scope reads a result, or none does.
    [[nodiscard]] bool leaves(std::size_t i, const std::string& scope) {
        bool isRead = false;
        for (const std::size_t reader : forward_)
            for (const TensorId out : op(i).outputs) {
                const auto& in = op(reader).inputs;
                if (std::find(in.begin(), in.end(), out) == in.end())
                    continue;
                isRead = true;
                if (!isInScope(op(reader).name, scope))
                    return true;
            }
        return !isRead;
    }

    void keepAnnotated() {
        for (const std::size_t i : forward_)
            if (op(i).recomputeHint == false)
                kept_[i] = true;
    }

    /// Tensors for another stage, and results, leave at the end of a slot, in which an older
    /// micro-batch may be recomputed: their place must not be written then (popart
    /// transforms/pipeline.cpp, isConsumedByCopy). The last stage recomputes the same one.
    void keepSent() {
        std::vector<std::int32_t> madeIn(graph_.tensors.size(), -1);
        std::vector<std::size_t> maker(graph_.tensors.size());
        for (const std::size_t i : forward_)
            for (const TensorId out : op(i).outputs) {
                madeIn[out.index()] = op(i).stage;
                maker[out.index()] = i;
            }
        for (const TensorId output : graph_.outputs)
            if (madeIn[output.index()] >= 0 && madeIn[output.index()] + 1 < graph_.stages())
                kept_[maker[output.index()]] = true;
        for (const Op& reader : graph_.ops)
            for (const TensorId in : reader.inputs)
                if (madeIn[in.index()] >= 0 && madeIn[in.index()] != reader.stage)
                    kept_[maker[in.index()]] = true;
    }

    /// Without a type, ONNX nodes choose with `__recompute_output`.
    void markAnnotated() {
        markNeighbours([](const Op& op) { return op.recomputeHint == true; });
    }

    /// Chosen operations that follow each other in a stage run together.
    template <class Chosen> void markNeighbours(const Chosen& isChosen) {
        std::int32_t group = 0;
        std::int32_t stage = -1;
        bool open = false;
        for (const std::size_t i : forward_) {
            const bool again = isChosen(op(i)) && !kept_[i];
            if (open && (!again || op(i).stage != stage))
                ++group;
            if (again)
                op(i).recomputeGroup = group;
            open = again;
            stage = op(i).stage;
        }
    }

    void markStages() {
        keepBehindFinalCheckpoints();
        std::int32_t group = 0;
        std::int32_t stage = 0;
        for (const std::size_t i : forward_) {
            if (kept_[i] || op(i).stage != stage)
                ++group;
            stage = op(i).stage;
            if (!kept_[i])
                op(i).recomputeGroup = group;
        }
    }

    /// Operations of the last stage after its last checkpoints would run twice in a row: their
    /// results are kept (popart transforms/pipeline.cpp, setFinalFwdStageRecomputation; results
    /// that other stages send are checkpoints, too). Without a named checkpoint, that is the whole
    /// stage.
    void keepBehindFinalCheckpoints() {
        std::vector<std::size_t> last;
        for (const std::size_t i : forward_)
            if (op(i).stage + 1 == graph_.stages())
                last.push_back(i);
        if (std::none_of(last.begin(), last.end(), [&](std::size_t i) { return kept_[i]; })) {
            for (const std::size_t i : last)
                kept_[i] = true;
            return;
        }
        std::vector<bool> leadsToCheckpoint(graph_.tensors.size(), false);
        for (auto at = last.rbegin(); at != last.rend(); ++at)
            if (kept_[*at] || anyOf(op(*at).outputs, leadsToCheckpoint))
                for (const TensorId in : op(*at).inputs)
                    leadsToCheckpoint[in.index()] = true;
        std::vector<bool> behind = sentToLastStage();
        for (std::size_t id = 0; id < behind.size(); ++id)
            behind[id] = behind[id] && !leadsToCheckpoint[id];
        for (const std::size_t i : last) {
            const bool isFinal = kept_[i] && !anyOf(op(i).outputs, leadsToCheckpoint);
            if (!isFinal && !anyOf(op(i).inputs, behind))
                continue;
            kept_[i] = true;
            for (const TensorId out : op(i).outputs)
                behind[out.index()] = true;
        }
    }

    /// By tensor, whether an earlier stage makes it.
    std::vector<bool> sentToLastStage() {
        std::vector<bool> sent(graph_.tensors.size(), false);
        for (const std::size_t i : forward_)
            if (op(i).stage + 1 < graph_.stages())
                for (const TensorId out : op(i).outputs)
                    sent[out.index()] = true;
        return sent;
    }

    static bool anyOf(const std::vector<TensorId>& ids, const std::vector<bool>& marked) {
        return std::any_of(ids.begin(), ids.end(), [&](TensorId id) { return marked[id.index()]; });
    }

    /// Everything up to the last operation that is kept, cut into a group after each.
    void markBetweenCheckpoints() {
        std::size_t last = 0;
        for (const std::size_t i : forward_)
            if (kept_[i])
                last = i;
        std::int32_t group = 0;
        std::int32_t stage = -1;
        bool open = false;
        for (const std::size_t i : forward_) {
            if (kept_[i] || op(i).stage != stage) {
                group += open ? 1 : 0;
                open = false;
                stage = op(i).stage;
            }
            if (kept_[i] || i > last)
                continue;
            op(i).recomputeGroup = group;
            open = true;
        }
    }

    static bool isNorm(const Op& op) {
        return op.type.find("Norm") != std::string::npos ||
               op.type.find("norm") != std::string::npos;
    }

    void markNorms() { markNeighbours(isNorm); }

    /// Bytes of activations that are made up to each forward operation and read after it.
    std::vector<std::int64_t> liveBytes() {
        std::vector<std::size_t> lastUse(graph_.tensors.size(), 0);
        for (std::size_t n = 0; n < forward_.size(); ++n)
            for (const TensorId in : op(forward_[n]).inputs)
                lastUse[in.index()] = n;
        std::vector<std::int64_t> change(forward_.size() + 1, 0);
        for (std::size_t n = 0; n < forward_.size(); ++n)
            for (const TensorId out : op(forward_[n]).outputs) {
                change[n] += graph_.tensors[out].bytes();
                change[std::max(n + 1, lastUse[out.index()])] -= graph_.tensors[out].bytes();
            }
        std::vector<std::int64_t> live;
        std::int64_t bytes = 0;
        for (std::size_t n = 0; n < forward_.size(); ++n)
            live.push_back(bytes += change[n]);
        return live;
    }

    /// Intervals of K, K-1, ... operations, K = 0.75 (sqrt(2n) - 1): in each, the results that are
    /// live at the point with the fewest live bytes are kept (popart intervals.cpp).
    void keepLeastLive() {
        const auto n = static_cast<double>(forward_.size());
        const auto first =
            static_cast<std::size_t>(std::max(1.0, 0.75 * (std::floor(std::sqrt(2 * n)) - 1)));
        const std::vector<std::int64_t> live = liveBytes();
        std::vector<std::size_t> lastUse(graph_.tensors.size(), 0);
        for (std::size_t i = 0; i < forward_.size(); ++i)
            for (const TensorId in : op(forward_[i]).inputs)
                lastUse[in.index()] = i;
        std::size_t length = first;
        for (std::size_t begin = 0; begin < forward_.size(); begin += length) {
            if (begin > 0 && length > 1)
                --length;
            const std::size_t end = std::min(begin + length, forward_.size());
            std::size_t best = begin;
            for (std::size_t i = begin; i < end; ++i)
                if (live[i] < live[best])
                    best = i;
            for (std::size_t i = 0; i <= best; ++i)
                for (const TensorId out : op(forward_[i]).outputs)
                    if (lastUse[out.index()] > best)
                        kept_[forward_[i]] = true;
        }
    }

    Graph& graph_;
    const MemoryOptions& options_;
    bool isPipelined_;
    std::vector<bool> kept_;
    std::vector<std::size_t> forward_;
};

/// Tensors of the forward pass that the backward pass reads.
class ReadBack {
public:
    explicit ReadBack(const Graph& graph)
        : graph_(graph)
        , producers_(graph.producers())
        , seen_(graph.tensors.size()) {
        for (const Op& op : graph.ops)
            if (op.pass == Pass::Backward)
                for (const TensorId in : op.inputs)
                    add(in);
    }

    /// "... 12.0 MiB of the 96.0 MiB ..."
    [[nodiscard]] std::string text(const MemoryOptions& options) const {
        std::string text = fmt::format("recomputation makes {} again of the {} of activations that "
                                       "the backward pass reads; the "
                                       "rest is kept from the forward pass",
                                       formatBytes(again_), formatBytes(bytes_));
        // Results after the last checkpoint are kept, since they would be recomputed at once.
        if (options.recompute == Recompute::All && options.checkpoints.empty())
            text +=
                "; 'all' recomputes everything between checkpoints: name operations to keep with "
                "--checkpoint NAME";
        return text;
    }

private:
    /// A view counts with its own size, but the tensor that it refers to is kept.
    void add(TensorId id) {
        OpId maker = producers_[id.index()];
        while (maker.valid() && isView(graph_.ops[maker].attributes) &&
               graph_.ops[maker].inputs.size() == 1) {
            id = graph_.ops[maker].inputs[0];
            maker = producers_[id.index()];
        }
        if (!maker.valid() || graph_.ops[maker].pass != Pass::Forward || seen_[id.index()])
            return;
        seen_[id.index()] = true;
        bytes_ += graph_.tensors[id].bytes();
        if (graph_.ops[maker].recomputeGroup >= 0)
            again_ += graph_.tensors[id].bytes();
    }

    const Graph& graph_;
    std::vector<OpId> producers_;
    std::vector<bool> seen_;
    std::int64_t bytes_ = 0, again_ = 0;
};

} // namespace

void markRecomputed(Graph& graph, const MemoryOptions& options, bool isPipelined) {
    if (options.recompute == Recompute::Pipeline && !isPipelined)
        throw OptionError("recompute", "'pipeline' recomputes between the stages of a pipeline; "
                                       "add --execution pipelined, or choose 'standard'");
    Marker(graph, options, isPipelined).run();
    const bool marked = std::any_of(graph.ops.begin(), graph.ops.end(),
                                    [](const Op& op) { return op.recomputeGroup >= 0; });
    if (options.recompute != Recompute::None && marked)
        graph.messages.push_back({Severity::Info, ReadBack(graph).text(options)});
}

} // namespace tilescope::sim
