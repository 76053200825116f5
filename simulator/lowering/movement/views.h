// Views: naming a tensor's dimensions in the atoms of its storage.
#pragma once

#include "simulator/layout/inner_run.h"
#include "simulator/lowering/places/context.h"

namespace tilescope::sim {

/// A view of the tensor with another shape of as many elements, if the cuts nest in the storage's
/// atoms (which are split as needed).
std::optional<ViewDims> tryViewAs(LoweringContext& context, TensorId tensor, const Shape& shape);

/// The same for a shape that only cuts dimensions of the tensor's own. Where the cuts do not nest
/// in the storage's atoms, the tensor is first copied to a linear layout of its own shape.
ViewDims viewAs(LoweringContext& context, TensorId tensor, const Shape& shape);

/// Copies a tensor to a storage whose atoms are its dimensions, linearly mapped: the exchange and
/// the on-tile copies that put the elements in order.
void rearrangeToLinear(LoweringContext& context, TensorId tensor);

/// The same to another storage.
void rearrangeTo(LoweringContext& context, TensorId tensor, Storage storage, ViewDims view);

/// Copies `from` into a new linear storage for `to`, in row-major order of to's shape.
void copyToLinear(LoweringContext& context, TensorId from, TensorId to);

/// Splits atoms of two tensors' storages until each dimension they share has the same atoms sizes
/// (of more than one index) in both; a dimension of size 1 in `b` is broadcast and left alone.
/// Shapes are aligned at the last dimension. False if the cuts do not nest.
bool alignAtoms(LoweringContext& context, TensorId a, TensorId b);

/// An atom of a dimension, and whether another tensor has it, too.
struct SharedAtom {
    std::int64_t size = 1;
    bool shared = true;
};

/// What a block of a dimension covers of the atoms that are shared, taken as one index in row-major
/// order: the smallest interval that has all of it.
Interval projected(Interval block, const std::vector<SharedAtom>& atoms);

/// A need of tensor `b` that follows blocks of tensor `a` (aligned before): dimensions that b lacks
/// become copies.
Blocking needLike(LoweringContext& context, const Blocking& blocksOfA, TensorId a, TensorId b);

/// The order of a's storage in the atoms of b; levels that b lacks are left out.
std::vector<OrderLevel> orderLike(LoweringContext& context, TensorId a, TensorId b);

/// How `b`, which is broadcast over `a` (aligned before), repeats along the elements of a tile: the
/// innermost run is of dimensions that b has (its elements one after the other), or of others (one
/// element of it).
InnerRun broadcastRun(LoweringContext& context, TensorId a, TensorId b);

} // namespace tilescope::sim
