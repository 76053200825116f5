// oct_conv_layer.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/base/error.h"
#include "simulator/operations/joint_passes.h"

namespace tilescope::sim {
namespace {

/// A dimension of `inner` elements after each of the field.
TensorId splitField(OperationGraph& g, const char* name, TensorId of, std::int64_t inner) {
    const Shape shape = g.graph().tensors[of].shape;
    Shape split{shape[0], shape[1]};
    for (std::size_t d = 2; d < shape.size(); ++d)
        split.insert(split.end(), {shape[d] / inner, inner});
    return g.op(name, "Reshape", ReshapeAttributes{}, {of}, split);
}

/// The opposite.
TensorId joinField(OperationGraph& g, const char* name, TensorId of) {
    const Shape shape = g.graph().tensors[of].shape;
    Shape joined{shape[0], shape[1]};
    for (std::size_t d = 2; d < shape.size(); d += 2)
        joined.push_back(shape[d] * shape[d + 1]);
    return g.op(name, "Reshape", ReshapeAttributes{}, {of}, joined);
}

constexpr std::int64_t ratio = 2; ///< of the fields

/// Each element of the field as often along each dimension.
TensorId upsampled(OperationGraph& g, TensorId of) {
    const TensorId apart = splitField(g, "upsample/split", of, 1);
    Shape repeated = g.graph().tensors[apart].shape;
    for (std::size_t d = 3; d < repeated.size(); d += 2)
        repeated[d] = ratio;
    return joinField(g, "upsample",
                     g.op("upsample/expand", "Expand", ExpandAttributes{}, {apart}, repeated));
}

/// Averages of two elements along each dimension.
TensorId pooled(OperationGraph& g, TensorId of, const std::vector<std::int64_t>& field) {
    PoolAttributes pool;
    pool.kind = PoolKind::Average;
    pool.kernel.assign(field.size(), ratio);
    pool.strides = pool.kernel;
    pool.dilations.assign(field.size(), 1);
    pool.padsBegin.assign(field.size(), 0);
    pool.padsEnd = pool.padsBegin;
    Shape shape = g.graph().tensors[of].shape;
    std::copy(field.begin(), field.end(), shape.begin() + 2);
    return g.op("pool", "Pool", pool, {of}, shape);
}

constexpr std::size_t low = 0, high = 1;
constexpr std::array frequencyName{"Lo", "Hi"};

/// Channels of both frequencies: shares of those of each group.
std::array<std::int64_t, 2> channelsOf(double share, std::int64_t channels, std::int64_t groups) {
    const std::int64_t each = channels / groups;
    const auto lowOnes = static_cast<std::int64_t>(share * static_cast<double>(each));
    return {lowOnes * groups, (each - lowOnes) * groups};
}

/// The convolutions from each frequency to each, low first, where both have channels.
class OctaveConv {
public:
    OctaveConv(OperationGraph& g, const OctaveConvTool& tool)
        : g_(g)
        , tool_(tool)
        , half_(tool.whole.field)
        , in_(channelsOf(tool.alphaIn, tool.whole.inputChannels, tool.whole.groups))
        , out_(channelsOf(tool.alphaOut, tool.whole.outputChannels, tool.whole.groups)) {
        for (std::int64_t& size : half_) {
            if (size % ratio != 0)
                throw UserError(fmt::format(
                    "--field: {} has no half; an octave convolution needs even sizes", size));
            size /= ratio;
        }
        for (const std::size_t from : {low, high})
            for (const std::size_t to : {low, high})
                if (in_[from] > 0 && out_[to] > 0)
                    addPart(from, to);
        checkFields();
    }

    void run() {
        JointPasses passes(g_, tool_.options, parts_);
        std::array<TensorId, 2> acts;
        for (const std::size_t from : {low, high})
            if (in_[from] > 0) {
                Shape shape{tool_.whole.batchSize, in_[from]};
                const auto& field = from == low ? half_ : tool_.whole.field;
                shape.insert(shape.end(), field.begin(), field.end());
                acts[from] = g_.held(std::string("freq") + frequencyName[from] + "_prevAct", shape);
            }
        allocate(acts);
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const auto [from, to] = ways_[i];
            parts_[i].in = from == high && to == low ? pooled(g_, acts[from], half_) : acts[from];
        }
        const Passes& passesOf = tool_.whole.passes;
        if (passesOf.forward) {
            results_ = passes.forward();
            addForward();
        }
        if (!tool_.whole.inferenceOnly)
            passes.gradients(passesOf, passesOf.forward);
    }

private:
    void addPart(std::size_t from, std::size_t to) {
        SingleConvLayer part = tool_.whole;
        part.field = from == high && to == high ? tool_.whole.field : half_;
        part.inputChannels = in_[from];
        part.outputChannels = out_[to];
        parts_.push_back({std::string("freq") + frequencyName[from] + frequencyName[to], part});
        ways_.emplace_back(from, to);
    }

    /// The field that a part adds to its output, after upsampling.
    [[nodiscard]] Shape madeBy(std::size_t part) const {
        const Shape out = shapesOf(parts_[part].layer).out;
        Shape field(out.begin() + 2, out.end());
        if (ways_[part] == std::pair(low, high))
            for (std::int64_t& size : field)
                size *= ratio;
        return field;
    }

    void checkFields() const {
        for (std::size_t i = 0; i < parts_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (ways_[i].second == ways_[j].second && madeBy(i) != madeBy(j))
                    throw UserError("oct_conv_layer: the fields of both resolutions do not match "
                                    "after the convolution; change --kernel-size or --padding");
    }

    /// Sums of what goes to each frequency. What is upsampled is not written: the sum reads a view
    /// of it.
    void addForward() {
        for (const std::size_t to : {low, high}) {
            const TensorId fromLow = resultOf(low, to), fromHigh = resultOf(high, to);
            if (!fromLow.valid() && !fromHigh.valid())
                continue;
            if (!fromLow.valid() || !fromHigh.valid())
                g_.download(fromHigh.valid() ? fromHigh
                            : to == low      ? fromLow
                                             : upsampled(g_, fromLow));
            else if (to == low)
                g_.download(added(to, fromHigh, fromLow));
            else
                g_.download(joinField(g_, "sum",
                                      added(to, splitField(g_, "split", fromHigh, ratio),
                                            splitField(g_, "upsample", fromLow, 1))));
        }
    }

    TensorId added(std::size_t to, TensorId a, TensorId b) {
        return g_.op(std::string("freq") + frequencyName[to], "Add",
                     ElementwiseAttributes{ElementwiseFunction::Add}, {a, b},
                     g_.graph().tensors[a].shape);
    }

    [[nodiscard]] TensorId resultOf(std::size_t from, std::size_t to) const {
        const auto at = std::find(ways_.begin(), ways_.end(), std::pair(from, to));
        return at == ways_.end() ? TensorId()
                                 : results_[static_cast<std::size_t>(at - ways_.begin())];
    }

    /// Inputs are allocated for convolutions of their own, each to all output channels, which are
    /// planned together (tools/oct_conv_layer.cpp, createOctConvTensors).
    void allocate(const std::array<TensorId, 2>& acts) {
        const auto with = std::make_shared<const MultiConv>(tool_.options);
        for (const std::size_t from : {low, high}) {
            if (in_[from] == 0)
                continue;
            SingleConvLayer layer = tool_.whole;
            layer.field = from == low ? half_ : tool_.whole.field;
            layer.inputChannels = in_[from];
            const ConvShapes shapes = shapesOf(layer);
            g_.allocate(with, std::string("prevAct") + frequencyName[from],
                        forwardPass(layer, acts[from], {}).attributes, acts[from], shapes.weights,
                        shapes.out);
        }
    }

    OperationGraph& g_;
    const OctaveConvTool& tool_;
    std::vector<std::int64_t> half_;
    std::array<std::int64_t, 2> in_, out_;
    std::vector<JointPart> parts_;
    std::vector<std::pair<std::size_t, std::size_t>> ways_; ///< of the parts: from, to
    std::vector<TensorId> results_;
};

} // namespace

Graph graphOf(const OctaveConvTool& tool, DataType type) {
    OperationGraph g("oct_conv_layer", type);
    OctaveConv(g, tool).run();
    return g.take();
}

} // namespace tilescope::sim
