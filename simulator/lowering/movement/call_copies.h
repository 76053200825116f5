// Copies of whole tensors into variables that exist already.
#pragma once

#include <string>
#include <vector>

#include "simulator/lowering/movement/copies.h"

namespace tilescope::sim {

/// Collects copies and emits them together: one exchange for all that moves between tiles, one
/// compute set for what stays on its tile in order, and a copy each for what has to be put in
/// another order. Every target is written anew: its old value ends there
/// (LoweredProgram::kills).
class CallCopies {
public:
    using Regroup = OperandGather::Regroup;
    CallCopies(LoweringContext& context, std::string name, Regroup regroup = Regroup::No);

    /// Copies a tensor to the place of `target`, in its order.
    void add(TensorId tensor, const PlacedStorage& target, const ViewDims& targetView);
    /// The reverse: copies `source` to the tensor, which has a place already.
    void addBack(TensorId tensor, const PlacedStorage& source, const ViewDims& sourceView);
    /// Copies a variable to one that is laid out the same.
    void addAlike(VariableId source, const PlacedStorage& target);
    void emit();

private:
    struct Reordering {
        StepName name;
        PlacedStorage operand;
        OperandMove move;
        VariableId source, target;
        bool exchanged = false;
    };

    /// Between a tensor's place and the same tensor's elsewhere.
    void addBetween(TensorId from, TensorId to);
    void addMove(const PlacedStorage& source, const OperandMove& move, VariableId target);
    void addLocal(VariableId source, VariableId target, const TileSeries& bytes);
    void emitLocal();
    void emitReordering(const Reordering& one, ExchangeId exchange);

    LoweringContext& context_;
    ProgramBuilder& b_;
    std::string name_;
    Regroup regroup_;
    std::size_t first_; ///< of the programs that this adds
    Movement movement_;
    Access exchanged_;
    TileSeries localBytes_;
    Access local_;
    std::vector<Reordering> reorderings_;
    std::vector<VariableId> targets_;
};

} // namespace tilescope::sim
