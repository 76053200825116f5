#include "simulator/lowering/conv_operands.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "simulator/lowering/copies.h"
#include "simulator/lowering/views.h"

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

/// Spatial dimensions of a Conv into the problem's field: own ones first, the flattened last.
void nameField(ConvAtoms& atoms, const ConvMapping& mapping, const ViewDims& dims,
               std::size_t firstSpatial, const AtomList& batch) {
    for (const int d : mapping.ownFieldDims)
        atoms.field.push_back(dims[firstSpatial + static_cast<std::size_t>(d)]);
    if (!mapping.batchFlattened) {
        atoms.batch = batch;
        return;
    }
    AtomList flat = batch;
    for (const int d : mapping.flattenedDims)
        append(flat, dims[firstSpatial + static_cast<std::size_t>(d)]);
    atoms.field.push_back(flat);
}

ConvAtoms convInputAtoms(const ConvMapping& mapping, const ViewDims& dims) {
    ConvAtoms atoms; // dims: N, G, Ci, spatial
    atoms.groups = dims[1];
    atoms.inChans = dims[2];
    nameField(atoms, mapping, dims, 3, dims[0]);
    return atoms;
}

ConvAtoms convWeightAtoms(const ConvMapping& mapping, const ViewDims& dims) {
    ConvAtoms atoms; // dims: G, Co, Ci, kernel
    atoms.groups = dims[0];
    atoms.outChans = dims[1];
    atoms.inChans = dims[2];
    for (const int d : mapping.ownFieldDims)
        atoms.kernel.push_back(dims[3 + static_cast<std::size_t>(d)]);
    if (mapping.batchFlattened)
        atoms.kernel.emplace_back();
    return atoms;
}

ConvAtoms convOutputAtoms(const ConvMapping& mapping, const ViewDims& dims) {
    ConvAtoms atoms; // dims: N, G, Co, spatial
    atoms.groups = dims[1];
    atoms.outChans = dims[2];
    nameField(atoms, mapping, dims, 3, dims[0]);
    return atoms;
}

ConvOperands resolveConv(LoweringContext& context, const Op& op, const ConvPlan& plan,
                         const ConvMapping& mapping, const ConvTiling& tiling) {
    const Tensor& in = context.tensor(op.inputs[0]);
    const Tensor& weights = context.tensor(op.inputs[1]);
    const Tensor& out = context.tensor(op.outputs[0]);
    const std::int64_t groups = mapping.problem.groups;
    ConvOperands result;
    result.inputTensor = op.inputs[0];
    result.weightsTensor = op.inputs[1];

    Shape inShape{in.shape[0], groups, in.shape[1] / groups};
    inShape.insert(inShape.end(), in.shape.begin() + 2, in.shape.end());
    OperandView input(context, op.inputs[0], inShape);
    input.ensure([&](Storage& storage, const ViewDims&) {
        const ConvAtoms atoms = convInputAtoms(mapping, singles(storage.atomSizes));
        storage.layout.blocking =
            tiling.inputStorage(atoms, 8 / std::min<std::int64_t>(8, storage.elementBytes));
        storage.layout.order = inputOrder(atoms, plan.grains.inChans);
    });
    result.input = convInputAtoms(mapping, input.resolve());

    Shape weightShape{groups, weights.shape[0] / groups};
    weightShape.insert(weightShape.end(), weights.shape.begin() + 1, weights.shape.end());
    OperandView filter(context, op.inputs[1], weightShape);
    result.weightsOwned = filter.ensure([&](Storage& storage, const ViewDims&) {
        const ConvAtoms atoms = convWeightAtoms(mapping, singles(storage.atomSizes));
        storage.layout.blocking =
            tiling.weightsStorage(atoms, 8 / std::min<std::int64_t>(8, storage.elementBytes), true);
        storage.layout.order = weightsOrder(atoms, plan.grains);
    });
    result.weights = convWeightAtoms(mapping, filter.resolve());

    Shape outShape{out.shape[0], groups, out.shape[1] / groups};
    outShape.insert(outShape.end(), out.shape.begin() + 2, out.shape.end());
    result.outputAtomSizes = outShape;
    result.output = convOutputAtoms(mapping, singles(outShape));
    result.outputView.push_back({0});
    result.outputView.push_back({1, 2});
    for (std::size_t d = 3; d < outShape.size(); ++d)
        result.outputView.push_back({static_cast<int>(d)});
    return result;
}

/// A matrix operand: batch dimensions, then rows and columns of the product's meaning.
struct MatrixAtoms {
    AtomList batch, rows, columns;
    std::int64_t batchSize = 1;
};

MatrixAtoms nameMatrix(const ViewDims& dims, const Shape& shape, bool transposed) {
    MatrixAtoms atoms;
    for (std::size_t d = 0; d + 2 < dims.size(); ++d) {
        append(atoms.batch, dims[d]);
        atoms.batchSize *= shape[d];
    }
    atoms.rows = dims[dims.size() - 2];
    atoms.columns = dims[dims.size() - 1];
    if (transposed)
        std::swap(atoms.rows, atoms.columns);
    return atoms;
}

/// Roles of a matrix in the planned problem: `field` true for the operand that is moved over.
ConvAtoms matrixRole(const MatrixAtoms& m, const ConvMapping& mapping, bool field, bool isLeft) {
    ConvAtoms atoms;
    AtomList outer = isLeft ? m.rows : m.columns;
    atoms.inChans = isLeft ? m.columns : m.rows;
    if (mapping.batchFlattened && isLeft) {
        AtomList flat = m.batch;
        append(flat, outer);
        outer = flat;
    } else if (m.batchSize == mapping.problem.groups) {
        atoms.groups = m.batch;
    } else if (m.batchSize != 1) {
        atoms.whole = m.batch;
        atoms.wholeSize = m.batchSize;
    }
    if (field)
        atoms.field = {outer};
    else
        atoms.outChans = outer;
    atoms.kernel = {{}};
    if (!field)
        atoms.field = {{}};
    return atoms;
}

ConvOperands resolveMatMul(LoweringContext& context, const Op& op, const ConvPlan& plan,
                           const ConvMapping& mapping, const ConvTiling& tiling) {
    const auto& attributes = std::get<MatMulAttributes>(op.attributes);
    const bool swapped = plan.swapOperands;
    ConvOperands result;
    result.inputTensor = op.inputs[swapped ? 1 : 0];
    result.weightsTensor = op.inputs[swapped ? 0 : 1];
    const auto resolve = [&](std::size_t index, bool isInput) {
        const TensorId id = op.inputs[index];
        const Shape& shape = context.tensor(id).shape;
        const bool transposed = index == 0 ? attributes.transposeA : attributes.transposeB;
        const auto role = [&](const ViewDims& dims) {
            return matrixRole(nameMatrix(dims, shape, transposed), mapping, isInput, index == 0);
        };
        OperandView view(context, id, shape);
        const bool owned = view.ensure([&](Storage& storage, const ViewDims&) {
            const ConvAtoms atoms = role(singles(storage.atomSizes));
            const std::int64_t grain = 8 / std::min<std::int64_t>(8, storage.elementBytes);
            storage.layout.blocking = isInput ? tiling.inputStorage(atoms, grain)
                                              : tiling.weightsStorage(atoms, grain, true);
            storage.layout.order =
                isInput ? inputOrder(atoms, plan.grains.inChans) : weightsOrder(atoms, plan.grains);
        });
        if (!isInput)
            result.weightsOwned = owned;
        return role(view.resolve());
    };
    result.input = resolve(swapped ? 1 : 0, true);
    result.weights = resolve(swapped ? 0 : 1, false);

    const Shape& out = context.tensor(op.outputs[0]).shape;
    result.outputAtomSizes = out;
    result.outputView = identityView(out.size());
    const MatrixAtoms m = nameMatrix(singles(out), out, false);
    AtomList rows = m.rows;
    if (mapping.batchFlattened) {
        rows = m.batch;
        append(rows, m.rows);
    } else {
        result.output.groups = m.batch;
    }
    result.output.field = {swapped ? m.columns : rows};
    result.output.outChans = swapped ? rows : m.columns;
    return result;
}

void addLevels(std::vector<OrderLevel>& order, const AtomList& atoms) {
    for (const int atom : atoms)
        order.push_back({atom, 0});
}

} // namespace

ConvOperands resolveOperands(LoweringContext& context, const Op& op, const ConvPlan& plan,
                             const ConvMapping& mapping, const ConvTiling& tiling) {
    return std::holds_alternative<ConvAttributes>(op.attributes)
               ? resolveConv(context, op, plan, mapping, tiling)
               : resolveMatMul(context, op, plan, mapping, tiling);
}

std::string convName(const Op& op) {
    const auto* conv = std::get_if<ConvAttributes>(&op.attributes);
    if (!conv)
        return "Conv_1";
    std::string name = fmt::format("Conv_{}", fmt::join(conv->kernel, "x"));
    if (std::any_of(conv->strides.begin(), conv->strides.end(), [](auto s) { return s != 1; }))
        name += fmt::format("_stride{}", fmt::join(conv->strides, "x"));
    return name;
}

std::vector<OrderLevel> inputOrder(const ConvAtoms& atoms, std::int64_t grain) {
    std::vector<OrderLevel> order;
    addLevels(order, atoms.groups);
    addLevels(order, atoms.inChans);
    addLevels(order, atoms.batch);
    for (const AtomList& field : atoms.field)
        addLevels(order, field);
    if (!atoms.inChans.empty())
        order.push_back({atoms.inChans.back(), grain});
    return order;
}

std::vector<OrderLevel> weightsOrder(const ConvAtoms& atoms, const ConvGrains& grains) {
    std::vector<OrderLevel> order;
    addLevels(order, atoms.groups);
    addLevels(order, atoms.outChans);
    addLevels(order, atoms.inChans);
    for (const AtomList& kernel : atoms.kernel)
        addLevels(order, kernel);
    if (!atoms.outChans.empty())
        order.push_back({atoms.outChans.back(), grains.outChans});
    if (!atoms.inChans.empty())
        order.push_back({atoms.inChans.back(), grains.inChans});
    return order;
}

std::vector<OrderLevel> outputOrder(const ConvAtoms& atoms, std::int64_t grain) {
    std::vector<OrderLevel> order;
    addLevels(order, atoms.groups);
    addLevels(order, atoms.outChans);
    addLevels(order, atoms.batch);
    for (const AtomList& field : atoms.field)
        addLevels(order, field);
    if (!atoms.outChans.empty())
        order.push_back({atoms.outChans.back(), grain});
    return order;
}

} // namespace tilescope::sim
