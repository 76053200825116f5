// Collectives of replicas, and a replica's shard of a tensor.
#include <algorithm>
#include <utility>

#include "simulator/compute/kernels/exceptions.h"
#include "simulator/compute/machine.h"

namespace tilescope::sim {
namespace {

/// Adds the elements of `term` to those of `sum`, without rounding.
void addTo(TensorData& sum, const TensorData& term) {
    const auto into = sum.reals();
    const auto from = term.reals();
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] += from[i];
}

} // namespace

/// Shard `index` of the elements of a tensor; the last one may end in zeros.
TensorData Machine::shardOf(const TensorData& whole, const Tensor& shard, std::int64_t index) {
    TensorData part = TensorData::filled(shard.type, shard.shape, 0);
    const std::int64_t size = part.elements();
    const auto from = whole.reals();
    const auto begin = static_cast<std::size_t>(std::min(index * size, whole.elements()));
    const auto count = std::min(from.size() - begin, static_cast<std::size_t>(size));
    std::copy_n(from.data() + begin, count, part.reals().data());
    return part;
}

/// Sums over groups of `shards` consecutive replicas. Replicas are added in order, so that the sum
/// is reproducible.
void Machine::runCollective(Frame& frame, const Op& op, const CollectiveAttributes& collective) {
    const auto replicas = frame.values.size();
    const auto shards = static_cast<std::size_t>(collective.shards);
    const auto sumOver = [&](TensorId id, std::size_t first, std::size_t count) {
        TensorData sum = frame.values[first][id].copy();
        ComputePlace place{seed_, 0, 0, static_cast<std::int64_t>(first), 0, executions_};
        for (std::size_t r = 1; r < count; ++r) {
            const TensorData& term = frame.values[first + r][id];
            const bool checks = context_.exceptions.stops();
            const bool finite = checks && allFinite(sum) && allFinite(term);
            addTo(sum, term);
            if (checks)
                checkSum(context_.exceptions, *frame.graph, op, id, sum, finite);
            ++place.replica;
            if (sum.type() == DataType::Half)
                storeAsHalves(sum.reals(), {context_.rounding, roundingKey(place) + id.index()});
        }
        return sum;
    };
    const auto store = [&](TensorId id, TensorId place, std::size_t r, const TensorData& value) {
        TensorData& own = frame.values[r][place];
        if (own.isReal())
            std::copy(value.reals().begin(), value.reals().end(), own.reals().begin());
        frame.values[r][id] = own.reshaped(frame.graph->tensors[id].shape);
    };
    switch (collective.kind) {
    case CollectiveKind::AllReduce:
        for (std::size_t i = 0; i < op.inputs.size(); ++i)
            for (std::size_t first = 0; first < replicas; first += shards) {
                const std::size_t count = std::min(shards, replicas - first);
                const TensorData sum = sumOver(op.inputs[i], first, count);
                for (std::size_t r = first; r < first + count; ++r)
                    if (collective.inPlace)
                        store(op.outputs[i], op.inputs[i], r, sum);
                    else
                        frame.values[r][op.outputs[i]] = sum;
            }
        return;
    case CollectiveKind::ReduceScatter: {
        const TensorData sum = sumOver(op.inputs[0], 0, replicas);
        for (std::size_t r = 0; r < replicas; ++r)
            frame.values[r][op.outputs[0]] = shardOf(sum, frame.graph->tensors[op.outputs[0]],
                                                     static_cast<std::int64_t>(r % shards));
        return;
    }
    case CollectiveKind::AllGather:
        for (std::size_t first = 0; first < replicas; first += shards) {
            const Tensor& tensor = frame.graph->tensors[op.outputs[0]];
            TensorData whole(tensor.type, tensor.shape);
            std::size_t at = 0;
            for (std::size_t r = first; r < std::min(replicas, first + shards); ++r) {
                const auto shard = std::as_const(frame.values[r][op.inputs[1]]).reals();
                const std::size_t count = std::min(shard.size(), whole.reals().size() - at);
                std::copy_n(shard.data(), count, whole.reals().data() + at);
                at += count;
            }
            for (std::size_t r = first; r < std::min(replicas, first + shards); ++r)
                store(op.outputs[0], op.inputs[0], r, whole);
        }
        return;
    }
}

} // namespace tilescope::sim
