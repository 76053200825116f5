// Collectives of a graph's replicas: rings of exchanges and sums.
#include <algorithm>
#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/cost/collective.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/cost/exchange_cycles.h"
#include "simulator/cost/footprint.h"
#include "simulator/layout/layout.h"
#include "simulator/lowering/operations/families.h"

namespace tilescope::sim {
namespace {

using Part = CollectiveSteps::Part;

TileSeries shareOfEach(const TileSeries& series, std::int64_t parts) {
    return series.mapped([&](std::int64_t n) { return ceilDiv(n, parts); });
}

const char* nameOf(Part part) {
    switch (part) {
    case Part::Reduce:
        return "reduceScatter";
    case Part::Gather:
        return "allGather";
    case Part::GatewayReduce:
        return "gatewayReduceScatter";
    case Part::GatewayGather:
        return "gatewayAllGather";
    case Part::Broadcast:
        return "broadcast";
    case Part::GatewayBroadcast:
        return "gatewayBroadcast";
    }
    return "";
}

/// A collective on tensors of one type, by the parts of them on each tile.
class CollectiveEmitter {
public:
    /// `replicas`: the number that take part.
    CollectiveEmitter(LoweringContext& context, const Op& op, DataType type, std::int32_t replicas)
        : context_(context)
        , b_(context.builder())
        , op_(op)
        , type_(type)
        , topology_(replicaTopology(context.target(), replicas)) {}

    /// `elements` of each replica by tile, of the whole tensors. Sums of `sources` become
    /// `results`; a gather only moves.
    void emit(CollectiveKind kind, const TileSeries& elements,
              const std::vector<VariableId>& sources, const std::vector<VariableId>& results) {
        b_.beginSequence(fmt::format("{}/{}", op_.name, toString(kind)));
        std::vector<VariableId> current = sources;
        for (const CollectiveSteps& steps :
             collectiveSteps(topology_, kind, elements.sum() * bytesOf(type_))) {
            emitSteps(steps, elements, {current, results});
            current = results;
        }
        b_.end();
    }

private:
    void emitSteps(const CollectiveSteps& steps, const TileSeries& elements, Access access) {
        const std::string name = fmt::format("{}/{}", op_.name, nameOf(steps.part));
        const TileSeries block = shareOfEach(elements, steps.blocks);
        const TileSeries moved = block.scaled(steps.copies * bytesOf(type_));
        const std::int64_t cycles = collectiveStepCycles(context_.target(), steps, moved.sum());
        // Equal weights are updated by one function, so that their collectives share code.
        const bool isNew = context_.collectiveCode().isNew(b_.ipu(), steps.part, moved);
        const std::int64_t codeBytes = isNew ? collectiveCodeBytes(steps.count) : 0;
        const auto copyFragments = [&](bool inLoop) {
            if (steps.blocks > 1 && inLoop == isSwitched(block))
                copyBetween(name, steps.blocks, elements, inLoop, isNew, access);
        };
        if (steps.reduces())
            copyFragments(false);
        b_.beginRepeatHere(name, steps.count);
        if (steps.reduces()) {
            copyFragments(true);
            const VariableId landed = b_.variable(name + "/received", MemoryCategory::Variable,
                                                  moved, std::string(toString(type_)));
            b_.collectiveExchange(name, moved, cycles, codeBytes, {access.reads, {landed}});
            Access added = access;
            added.reads.push_back(landed);
            sum(name + "/Op/Add", block, steps.copies, std::move(added));
        } else {
            b_.collectiveExchange(name, moved, cycles, codeBytes, access);
            copyFragments(true);
        }
        b_.end();
        if (!steps.reduces())
            copyFragments(false);
    }

    /// Only little data are copied into the right order: otherwise a switch has a copy for each
    /// fragment (PopLibs popops/ReplicatedCollectives.cpp, createSliceableTensorIfBenefical).
    static bool isSwitched(const TileSeries& fragment) {
        constexpr std::int64_t mostInOrder =
            std::int64_t{12} * 8; // elements: code of a case, times eight calls
        return fragment.max().value > mostInOrder;
    }

    /// A fragment has its own tiles, the buffer that goes round the ring is spread over all:
    /// exchanges on the chip copy one fragment in each step, or all of them at once (the same file,
    /// replicatedRankSlice and replicatedRankUpdate; GCL's present method is not public). A tile's
    /// part of the data is sent in as many pieces as there are fragments, and one more where parts
    /// do not meet; it is received in the same way.
    void copyBetween(const std::string& name, std::int64_t fragments, const TileSeries& elements,
                     bool oneEachStep, bool isNew, Access access) {
        const TileSeries used = elements.ones();
        const std::int64_t bytes = bytesOf(type_);
        const std::int64_t programs = oneEachStep ? fragments : 1;
        Movement movement;
        movement.received =
            oneEachStep ? shareOfEach(elements, fragments).scaled(bytes) : elements.scaled(bytes);
        movement.sent = movement.received;
        movement.messages = used.scaled(fragments + 1);
        movement.operands = used.scaled(programs);
        movement.sendCode = used.scaled((fragments + 1) * exchangeSendStartBytes +
                                        (programs - 1) * exchangePhaseBytes);
        movement.cycles = elements.mapped(
            [&](std::int64_t n) { return exchangeCycles(context_.target(), n * bytes); });
        movement.runBytes = bytes;
        const ExchangeId copy = b_.exchange(name + (oneEachStep ? "/fragment" : "/fragments"),
                                            std::move(movement), std::move(access));
        if (!isNew)
            b_.lowered().profile.exchanges[copy].codeBytes = {};
    }

    void sum(const std::string& name, const TileSeries& elements, std::int64_t times,
             Access access) {
        const TileSeries cycles = elements.mapped([&](std::int64_t n) {
            return times * elementwiseCycles(context_.target(), ElementwiseFunction::Add,
                                             Operands::Binary, true, type_, n);
        });
        const TileSeries one = elements.ones();
        b_.execute(
            name, cycles,
            {{elementwiseVertex(ElementwiseFunction::Add, Operands::Binary, true, type_, type_),
              one}},
            std::move(access));
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    const Op& op_;
    DataType type_;
    ReplicaTopology topology_;
};

TileSeries elementsOf(LoweringContext& context, TensorId id) {
    return context.storageOf(id).storage.layout.blocking.elements();
}

/// Gradients are replaced by their sums where the old values are not needed; accumulators always
/// are.
VariableId placeSum(LoweringContext& context, TensorId in, TensorId out, bool inPlace) {
    context.ensurePlace(in);
    const bool isState = context.storageOf(in).role != TensorRole::Activation;
    if (inPlace && (isState || context.isLastUse(in))) {
        context.makeView(out, in, context.viewOf(in));
        return context.variableOf(in);
    }
    return context.makeResult(out, context.tensor(out).name, context.storageOf(in).storage,
                              context.viewOf(in));
}

void lowerAllReduce(LoweringContext& context, const Op& op) {
    const auto& collective = std::get<CollectiveAttributes>(op.attributes);
    TileSeries elements;
    std::vector<VariableId> sources, sums;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        sums.push_back(placeSum(context, op.inputs[i], op.outputs[i], collective.inPlace));
        sources.push_back(context.variableOf(op.inputs[i]));
        elements += elementsOf(context, op.inputs[i]);
    }
    CollectiveEmitter(context, op, context.tensor(op.inputs[0]).type, collective.shards)
        .emit(CollectiveKind::AllReduce, elements, sources, sums);
}

/// A shard is spread evenly over the tiles of the IPU (gcl CollectiveBalancedReorder).
VariableId placeShard(LoweringContext& context, TensorId shard) {
    const Tensor& t = context.tensor(shard);
    Storage storage = linearStorage(t.shape, bytesOf(t.type), context.target().tilesPerIpu);
    return context.makeResult(shard, t.name, std::move(storage), identityView(t.shape.size()));
}

void lowerReduceScatter(LoweringContext& context, const Op& op) {
    context.ensurePlace(op.inputs[0]);
    const VariableId source = context.variableOf(op.inputs[0]);
    const VariableId shard = placeShard(context, op.outputs[0]);
    CollectiveEmitter(context, op, context.tensor(op.inputs[0]).type,
                      context.options().replication.replicas)
        .emit(CollectiveKind::ReduceScatter, elementsOf(context, op.inputs[0]), {source}, {shard});
}

void lowerAllGather(LoweringContext& context, const Op& op) {
    const VariableId shard = context.variableOf(op.inputs[1]);
    context.ensurePlace(op.inputs[0]);
    context.makeView(op.outputs[0], op.inputs[0], context.viewOf(op.inputs[0]));
    CollectiveEmitter(context, op, context.tensor(op.inputs[0]).type,
                      context.options().replication.replicas)
        .emit(CollectiveKind::AllGather, elementsOf(context, op.inputs[0]), {shard},
              {context.variableOf(op.inputs[0])});
}

} // namespace

void lowerCollective(LoweringContext& context, const Op& op) {
    switch (std::get<CollectiveAttributes>(op.attributes).kind) {
    case CollectiveKind::AllReduce:
        return lowerAllReduce(context, op);
    case CollectiveKind::ReduceScatter:
        return lowerReduceScatter(context, op);
    case CollectiveKind::AllGather:
        return lowerAllGather(context, op);
    }
}

/// Every replica takes another part, so only the amount of the exchange on the chip is known: an
/// even part of each tile's data goes to the tiles of the shard.
void lowerShard(LoweringContext& context, const Op& op) {
    context.ensurePlace(op.inputs[0]);
    const std::int32_t shards = std::get<ShardAttributes>(op.attributes).shards;
    const VariableId source = context.variableOf(op.inputs[0]);
    const VariableId shard = placeShard(context, op.outputs[0]);
    const TileSeries wanted = elementsOf(context, op.outputs[0]);
    Traffic traffic;
    traffic.received = wanted;
    traffic.sent = shareOut(wanted.sum(), shareOfEach(elementsOf(context, op.inputs[0]), shards));
    traffic.messages = wanted.ones();
    traffic.total = wanted.sum();
    const std::int64_t bytes = bytesOf(context.tensor(op.inputs[0]).type);
    Movement movement;
    movement.add(context.target(), traffic, bytes, wanted.max().value * bytes);
    context.builder().exchange(context.builder().names().copyName(op.name), std::move(movement),
                               {{source}, {shard}});
}

} // namespace tilescope::sim
