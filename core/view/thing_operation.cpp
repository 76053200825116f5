#include "core/view/thing_operation.h"

#include <algorithm>

namespace tilescope {
namespace {

template <class List, class Id> OperationId ofItem(const List& list, Id id) {
    return id.index() < list.size() ? (*(list.begin() + id.value())).operation : OperationId();
}

/// What a thing of each kind belongs to; a new kind does not compile without its line.
class OperationOf {
public:
    OperationOf(const ProfileView& profile, Stop stop)
        : profile_(profile)
        , stop_(stop) {}

    OperationId operator()(IpuId /*ipu*/) const { return {}; }
    OperationId operator()(TileId /*tile*/) const { return {}; }
    OperationId operator()(MicroBatchId /*batch*/) const { return {}; }
    OperationId operator()(OperationId id) const { return id; }
    OperationId operator()(ProgramId id) const { return ofItem(*profile_.programs(stop_), id); }
    OperationId operator()(VariableId id) const { return ofItem(*profile_.variables(stop_), id); }
    OperationId operator()(ComputeSetId id) const {
        return ofItem(*profile_.computeSets(stop_), id);
    }
    OperationId operator()(ExchangeId id) const { return ofItem(*profile_.exchanges(stop_), id); }
    OperationId operator()(ValueTensorId id) const {
        return ofItem(profile_.values(stop_)->tensors, id);
    }
    OperationId operator()(StepId id) const {
        const auto steps = profile_.steps(stop_);
        return id.index() < steps->size() ? (*this)((*steps)[id]) : OperationId();
    }
    OperationId operator()(VertexTypeId id) const {
        OperationId found;
        std::int64_t most = 0;
        for (const ComputeSet& set : *profile_.computeSets(stop_))
            for (const VertexInstances& vertices : set.vertices)
                if (vertices.type == id && set.operation.valid() && vertices.count.sum() > most) {
                    most = vertices.count.sum();
                    found = set.operation;
                }
        return found;
    }

private:
    const ProfileView& profile_;
    Stop stop_;
};

} // namespace

bool belongsToOperation(const Thing& thing) {
    return !std::holds_alternative<IpuId>(thing) && !std::holds_alternative<TileId>(thing) &&
           !std::holds_alternative<MicroBatchId>(thing);
}

OperationId operationOf(const Things& things, const ProfileView& profile, Stop stop) {
    const OperationOf find(profile, stop);
    const std::vector<Thing> all = things.all();
    for (auto thing = all.rbegin(); thing != all.rend(); ++thing)
        if (const OperationId found = std::visit(find, *thing); found.valid())
            return found.index() < profile.operations(stop)->size() ? found : OperationId();
    return {};
}

} // namespace tilescope
