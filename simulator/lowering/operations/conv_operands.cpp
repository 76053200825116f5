#include "simulator/lowering/operations/conv_operands.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "core/base/error.h"
#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/movement/views.h"
#include "simulator/lowering/operations/conv_orders.h"
#include "simulator/lowering/operations/families.h"
#include "simulator/lowering/operations/grid.h"
#include "simulator/planner/planner.h"
#include "simulator/planner/transform.h"

namespace tilescope::sim {
namespace {

using AtomList = std::vector<int>;

void append(AtomList& to, const AtomList& from) {
    to.insert(to.end(), from.begin(), from.end());
}

/// The dimensions of one operand as a shape that names each of the problem's dimensions, and the
/// atoms found for it.
class OperandView {
public:
    OperandView(LoweringContext& context, TensorId tensor, Shape shape)
        : context_(context)
        , tensor_(tensor)
        , shape_(std::move(shape)) {}

    /// Lays the tensor out by `place` (which maps a view to a blocking and an order) if it has no
    /// place. True if it did.
    template <class Place> bool ensure(const Place& place) {
        return context_.ensurePlace(tensor_, [&] {
            Storage storage;
            storage.atomSizes = shape_;
            storage.elementBytes = bytesOf(context_.tensor(tensor_).type);
            place(storage, identityView(shape_.size()));
            // The tensor's own dimensions, as runs of these atoms.
            Storage unchanged = storage;
            auto view = reshapeView(identityView(shape_.size()), context_.tensor(tensor_).shape,
                                    unchanged, {});
            if (!view)
                throw InternalError("operand dimensions do not nest in the tensor's");
            return std::pair(std::move(storage), *std::move(view));
        });
    }

    /// The atoms of each dimension of the shape, without those of size one.
    [[nodiscard]] ViewDims resolve() {
        ViewDims view = viewAs(context_, tensor_, shape_);
        const Storage& storage = context_.storageOf(tensor_).storage;
        for (AtomList& atoms : view)
            atoms = withoutOnes(atoms, storage);
        return view;
    }

private:
    LoweringContext& context_;
    TensorId tensor_;
    Shape shape_;
};

AtomList nonOnes(const AtomList& dims, const std::vector<std::int64_t>& sizes) {
    AtomList kept;
    std::copy_if(dims.begin(), dims.end(), std::back_inserter(kept),
                 [&](int dim) { return sizes[static_cast<std::size_t>(dim)] != 1; });
    return kept;
}

ViewDims singles(const std::vector<std::int64_t>& sizes) {
    ViewDims view = identityView(sizes.size());
    for (AtomList& atoms : view)
        atoms = nonOnes(atoms, sizes);
    return view;
}

/// The roles of the dimensions of an operand (or of the result) in the planned problem, before its
/// transform.
struct Roles {
    Shape shape; ///< the tensor's elements as the dimensions listed below
    AtomList groups, batch, inChans, outChans;
    std::vector<AtomList> spatial;
    std::vector<std::int64_t> spatialSizes; ///< of the result, for an operand that is unfolded
    AtomList whole;
    std::int64_t wholeSize = 1;
};

struct OpRoles {
    Roles input, weights, output;
};

/// [first, groups, rest..., spatial...] of a convolution tensor of shape [first, groups*rest, ...].
Shape grouped(const Shape& shape, std::int64_t groups) {
    Shape result{shape[0], groups, shape[1] / groups};
    result.insert(result.end(), shape.begin() + 2, shape.end());
    return result;
}

/// Weights [out, in, kernel...] as [groups, out, in, kernel...].
Shape groupedWeights(const Shape& shape, std::int64_t groups) {
    Shape result{groups, shape[0] / groups};
    result.insert(result.end(), shape.begin() + 1, shape.end());
    return result;
}

/// A tensor of activations or their gradients; `first` and `last` are around the groups.
Roles activations(const Shape& shape, std::int64_t groups, AtomList Roles::*first,
                  AtomList Roles::*last) {
    Roles roles;
    roles.shape = grouped(shape, groups);
    roles.*first = {0};
    roles.groups = {1};
    roles.*last = {2};
    for (std::size_t d = 3; d < roles.shape.size(); ++d)
        roles.spatial.push_back({static_cast<int>(d)});
    return roles;
}

/// Weights or their gradient.
Roles kernels(const Shape& shape, std::int64_t groups, AtomList Roles::*first,
              AtomList Roles::*last) {
    Roles roles = activations(shape, 1, first, last);
    roles.shape = groupedWeights(shape, groups);
    std::swap(roles.groups, roles.*first);
    return roles;
}

OpRoles convRoles(const LoweringContext& context, const Op& op, const ConvAttributes& conv) {
    return {
        activations(context.tensor(op.inputs[0]).shape, conv.groups, &Roles::batch,
                    &Roles::inChans),
        kernels(context.tensor(op.inputs[1]).shape, conv.groups, &Roles::outChans, &Roles::inChans),
        activations(context.tensor(op.outputs[0]).shape, conv.groups, &Roles::batch,
                    &Roles::outChans)};
}

OpRoles gradInputRoles(const LoweringContext& context, const Op& op, const ConvAttributes& conv) {
    OpRoles roles = convRoles(context, op, conv);
    // The weights are read with input and output channels exchanged.
    std::swap(roles.weights.inChans, roles.weights.outChans);
    return roles;
}

OpRoles gradWeightsRoles(const LoweringContext& context, const Op& op, const ConvAttributes& conv) {
    return {
        activations(context.tensor(op.inputs[0]).shape, conv.groups, &Roles::inChans,
                    &Roles::batch),
        activations(context.tensor(op.inputs[1]).shape, conv.groups, &Roles::inChans,
                    &Roles::outChans),
        kernels(context.tensor(op.outputs[0]).shape, conv.groups, &Roles::outChans, &Roles::batch)};
}

/// Of one matrix: batch dimensions, then rows and columns of the product's meaning.
OpRoles matMulRoles(const LoweringContext& context, const Op& op, const MatMulAttributes& matMul,
                    const ConvProblem& problem) {
    const auto matrix = [&](const Shape& shape, bool transposed) {
        Roles r;
        r.shape = shape;
        std::int64_t batch = 1;
        for (std::size_t d = 0; d + 2 < shape.size(); ++d) {
            r.batch.push_back(static_cast<int>(d));
            batch *= shape[d];
        }
        const auto last = static_cast<int>(shape.size()) - 1;
        const AtomList rows{transposed ? last : last - 1};
        const AtomList columns{transposed ? last - 1 : last};
        r.spatial = {rows};
        r.outChans = columns;
        // A batch that the problem treats as groups, or has only one of, or is partly broadcast.
        if (problem.groups > 1) {
            if (batch == problem.groups)
                r.groups = r.batch;
            else if (batch > 1) {
                r.whole = r.batch;
                r.wholeSize = batch;
            }
            r.batch.clear();
        }
        return r;
    };
    OpRoles roles;
    roles.input = matrix(context.tensor(op.inputs[0]).shape, matMul.transposeA);
    roles.input.inChans = std::exchange(roles.input.outChans, {});
    roles.weights = matrix(context.tensor(op.inputs[1]).shape, matMul.transposeB);
    roles.weights.inChans = roles.weights.spatial.front();
    roles.weights.spatial = {{}};
    roles.weights.batch.clear();
    roles.output = matrix(context.tensor(op.outputs[0]).shape, false);
    // A plain right operand: the left one's batch joins its rows.
    for (Roles* r : {&roles.input, &roles.output}) {
        r->spatial.front().insert(r->spatial.front().begin(), r->batch.begin(), r->batch.end());
        r->batch.clear();
    }
    return roles;
}

OpRoles rolesOf(const LoweringContext& context, const Op& op, const ConvProblem& problem) {
    if (const auto* conv = std::get_if<ConvAttributes>(&op.attributes))
        return convRoles(context, op, *conv);
    if (const auto* gradInput = std::get_if<ConvGradInputAttributes>(&op.attributes))
        return gradInputRoles(context, op, gradInput->conv);
    if (const auto* gradWeights = std::get_if<ConvGradWeightsAttributes>(&op.attributes))
        return gradWeightsRoles(context, op, gradWeights->conv);
    return matMulRoles(context, op, std::get<MatMulAttributes>(op.attributes), problem);
}

/// All atoms of the dimensions that a role names.
AtomList named(const AtomList& dims, const ViewDims& atoms) {
    AtomList result;
    for (const int dim : dims)
        append(result, atoms[static_cast<std::size_t>(dim)]);
    return result;
}

void nameCommon(ConvAtoms& atoms, const Roles& roles, const ViewDims& dims) {
    atoms.groups = named(roles.groups, dims);
    atoms.inChans = named(roles.inChans, dims);
    atoms.outChans = named(roles.outChans, dims);
    atoms.whole = named(roles.whole, dims);
    atoms.wholeSize = roles.wholeSize;
}

/// Spatial dimensions that the transform made part of the output channels; an operand without
/// output channels has a single index there.
void joinOutChans(ConvAtoms& atoms, const Roles& roles, const ViewDims& dims,
                  const ConvTransform& transform) {
    AtomList joined;
    for (const int d : transform.outChanDims)
        append(joined, named(roles.spatial[static_cast<std::size_t>(d)], dims));
    atoms.outChans.insert(atoms.outChans.begin(), joined.begin(), joined.end());
}

/// Field dimensions of the input or the result after the transform.
ConvAtoms fieldAtoms(const Roles& roles, const ViewDims& dims, const ConvTransform& transform) {
    ConvAtoms atoms;
    nameCommon(atoms, roles, dims);
    joinOutChans(atoms, roles, dims, transform);
    for (const int d : transform.ownFieldDims)
        atoms.field.push_back(named(roles.spatial[static_cast<std::size_t>(d)], dims));
    AtomList batch = named(roles.batch, dims);
    if (transform.batchFlattened) {
        for (const int d : transform.flattenedDims)
            append(batch, named(roles.spatial[static_cast<std::size_t>(d)], dims));
        atoms.field.insert(atoms.field.begin() + static_cast<std::ptrdiff_t>(transform.flattenedAt),
                           batch);
    } else {
        atoms.batch = batch;
    }
    atoms.kernel.resize(atoms.field.size());
    return atoms;
}

ConvAtoms weightAtoms(const Roles& roles, const ViewDims& dims, const ConvTransform& transform) {
    ConvAtoms atoms;
    nameCommon(atoms, roles, dims);
    joinOutChans(atoms, roles, dims, transform);
    AtomList folded;
    for (const int d : transform.expandedDims)
        append(folded, named(roles.spatial[static_cast<std::size_t>(d)], dims));
    atoms.inChans.insert(atoms.inChans.begin(), folded.begin(), folded.end());
    for (const int d : transform.ownFieldDims)
        atoms.kernel.push_back(named(roles.spatial[static_cast<std::size_t>(d)], dims));
    if (transform.batchFlattened)
        atoms.kernel.insert(
            atoms.kernel.begin() + static_cast<std::ptrdiff_t>(transform.flattenedAt), AtomList{});
    atoms.field.resize(atoms.kernel.size());
    return atoms;
}

/// An input whose kernel dimensions are folded has more elements than its tensor: it is described
/// by atoms of its own, the planned problem's dimensions.
ConvAtoms unfoldedAtoms(const ConvProblem& problem, std::vector<std::int64_t>& sizes) {
    const auto atom = [&](std::int64_t size) {
        if (size == 1)
            return AtomList{};
        sizes.push_back(size);
        return AtomList{static_cast<int>(sizes.size()) - 1};
    };
    ConvAtoms atoms;
    atoms.groups = atom(problem.groups);
    atoms.batch = atom(problem.batch);
    for (const FieldDim& dim : problem.field)
        atoms.field.push_back(atom(dim.in));
    atoms.inChans = atom(problem.inChans);
    atoms.kernel.resize(atoms.field.size());
    return atoms;
}

/// After a swap of operands, field and output channels change places.
ConvAtoms swappedAtoms(ConvAtoms atoms) {
    std::swap(atoms.outChans, atoms.field.front());
    return atoms;
}

/// Lays out an input whose tiles read overlapping windows, if it has no place: channel groups
/// innermost, cut over all tiles.
void spreadEvenly(LoweringContext& context, TensorId id) {
    context.ensurePlace(id, [&] {
        const Tensor& t = context.tensor(id);
        return std::pair(activationStorage(context.target(), t.shape, bytesOf(t.type)),
                         identityView(t.shape.size()));
    });
}

/// Names and lays out the operands of one product.
class OperandResolver {
public:
    OperandResolver(LoweringContext& context, const Op& op, const ConvPlan& plan,
                    const ConvTiling& tiling)
        : context_(context)
        , op_(op)
        , plan_(plan)
        , tiling_(tiling)
        , roles_(rolesOf(context, op, problemOf(context.graph(), op, context.options().planning))) {
    }

    struct Resolved {
        ConvAtoms atoms;
        bool owned = false, unfolded = false;
        std::vector<int> channelAtoms; ///< ConvOperands::channelAtoms
        std::vector<std::int64_t> unfoldedSizes;
    };
    /// Operand 0 is the input, operand 1 the weights; a swap exchanges their roles in the plan.
    Resolved resolve(std::size_t index, bool asInput) {
        const Roles& role = index == 0 ? roles_.input : roles_.weights;
        const TensorId tensor = op_.inputs[index];
        Resolved result;
        result.unfolded = index == 0 && !plan_.transform.expandedDims.empty();
        OperandView view(context_, tensor, role.shape);
        if (result.unfolded)
            spreadEvenly(context_, tensor);
        result.owned = view.ensure([&](Storage& storage, const ViewDims&) {
            layOut(storage, atomsOf(index, singles(storage.atomSizes)), asInput);
        });
        if (!result.unfolded) {
            result.atoms = atomsOf(index, view.resolve());
            return result;
        }
        result.channelAtoms = named(role.inChans, view.resolve());
        result.atoms = swappedWithPlan(
            unfoldedAtoms(isSwapped() ? swapped(plan_.problem) : withSeparateGroups(plan_).problem,
                          result.unfoldedSizes));
        return result;
    }

    [[nodiscard]] const std::vector<std::int64_t>& outputSizes() const {
        return roles_.output.shape;
    }
    [[nodiscard]] ConvAtoms output() const {
        ConvAtoms atoms = swappedWithPlan(
            fieldAtoms(roles_.output, singles(roles_.output.shape), plan_.transform));
        // Positions of an unfolded input that become output channels do so one after the
        // other, each outside of those before: what was the batch stays innermost (PopLibs
        // poplin/Convolution.cpp, convolutionPreprocess, outChanFlattenDims).
        const bool unfolded = !plan_.transform.expandedDims.empty();
        if (isSwapped() && unfolded && plan_.transform.batchFlattened)
            std::reverse(atoms.outChans.begin(), atoms.outChans.end());
        return atoms;
    }

private:
    [[nodiscard]] bool isSwapped() const { return plan_.transform.swapOperands; }
    [[nodiscard]] ConvAtoms swappedWithPlan(ConvAtoms atoms) const {
        return isSwapped() ? swappedAtoms(std::move(atoms)) : atoms;
    }
    [[nodiscard]] ConvAtoms atomsOf(std::size_t index, const ViewDims& dims) const {
        return swappedWithPlan(index == 0 ? fieldAtoms(roles_.input, dims, plan_.transform)
                                          : weightAtoms(roles_.weights, dims, plan_.transform));
    }
    void layOut(Storage& storage, const ConvAtoms& atoms, bool asInput) const {
        storage.layout.blocking =
            asInput ? tiling_.inputStorage(atoms, true) : tiling_.weightsStorage(atoms, true);
        storage.layout.order = asInput ? storedInputOrder(atoms, plan_, storage.atomSizes)
                                       : storedWeightsOrder(atoms, plan_, storage.atomSizes);
    }

    LoweringContext& context_;
    const Op& op_;
    const ConvPlan& plan_;
    const ConvTiling& tiling_;
    OpRoles roles_;
};

/// How the dimensions of the result's tensor are made of those of the product.
ViewDims outputView(const Shape& shape, const std::vector<std::int64_t>& atomSizes) {
    Storage made;
    made.atomSizes = atomSizes;
    auto view = reshapeView(identityView(atomSizes.size()), shape, made, {});
    if (!view)
        throw InternalError("the dimensions of a result do not nest in its tensor's");
    return *std::move(view);
}

} // namespace

ConvOperands resolveOperands(LoweringContext& context, const Op& op, const ConvPlan& plan,
                             const ConvTiling& tiling) {
    const bool swap = plan.transform.swapOperands;
    OperandResolver resolver(context, op, plan, tiling);
    const OperandResolver::Resolved input = resolver.resolve(swap ? 1 : 0, true);
    const OperandResolver::Resolved weights = resolver.resolve(swap ? 0 : 1, false);
    const OperandResolver::Resolved& field = swap ? weights : input;

    ConvOperands result;
    result.inputTensor = op.inputs[swap ? 1 : 0];
    result.weightsTensor = op.inputs[swap ? 0 : 1];
    result.inputOwned = input.owned && !input.unfolded;
    result.weightsOwned = weights.owned && !weights.unfolded;
    result.input = input.atoms;
    result.weights = weights.atoms;
    result.inputUnfolded = input.unfolded;
    result.weightsUnfolded = weights.unfolded;
    result.channelAtoms = field.channelAtoms;
    result.unfoldedSizes = field.unfoldedSizes;
    result.outputAtomSizes = resolver.outputSizes();
    result.output = resolver.output();
    result.outputView = outputView(context.tensor(op.outputs[0]).shape, result.outputAtomSizes);
    return result;
}

void placeConvInput(LoweringContext& context, const Op& op, const ConvPlan& plan) {
    const ConvTiling tiling(plan);
    OperandResolver(context, op, plan, tiling).resolve(0, !plan.transform.swapOperands);
}

std::string convName(const Op& op) {
    const auto* conv = std::get_if<ConvAttributes>(&op.attributes);
    if (const auto* gradInput = std::get_if<ConvGradInputAttributes>(&op.attributes))
        conv = &gradInput->conv;
    if (const auto* gradWeights = std::get_if<ConvGradWeightsAttributes>(&op.attributes))
        conv = &gradWeights->conv;
    if (!conv)
        return "Conv_1";
    std::string name = fmt::format("Conv_{}", fmt::join(conv->kernel, "x"));
    if (std::any_of(conv->strides.begin(), conv->strides.end(), [](auto s) { return s != 1; }))
        name += fmt::format("_stride{}", fmt::join(conv->strides, "x"));
    return name;
}

} // namespace tilescope::sim
