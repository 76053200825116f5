#include <algorithm>
#include <set>

#include "simulator/cost/elementwise_cycles.h"
#include "simulator/lowering/context.h"
#include "simulator/lowering/copies.h"

namespace tilescope::sim {
namespace {

TileSeries ones(const TileSeries& series) {
    return TileSeries::zip(series, {}, [](std::int64_t, std::int64_t) { return 1; });
}

/// The result's storage: the kept atoms, renumbered.
struct KeptAtoms {
    Storage storage;
    std::vector<int> newAtom; ///< by old atom; -1 for reduced ones
    ViewDims view;
};

class ReduceLowering {
public:
    ReduceLowering(LoweringContext& context, const Op& op)
        : context_(context)
        , b_(context.builder())
        , op_(op)
        , attributes_(std::get<ReduceAttributes>(op.attributes))
        , in_(op.inputs[0])
        , type_(context.tensor(in_).type)
        , outType_(context.tensor(op.outputs[0]).type) {
        context.ensurePlace(in_);
        collectAtoms();
    }

    void run() {
        const Blocking& blocking = context_.storageOf(in_).storage.layout.blocking;
        // Atoms of one index are neither kept nor reduced.
        const auto isReduced = [&](int atom) { return reduced_.contains(atom); };
        const auto isKept = [&](int atom) {
            return kept_.newAtom[static_cast<std::size_t>(atom)] >= 0;
        };
        const bool mixed =
            std::any_of(blocking.dims.begin(), blocking.dims.end(), [&](const BlockedDim& dim) {
                return std::any_of(dim.atoms.begin(), dim.atoms.end(), isReduced) &&
                       std::any_of(dim.atoms.begin(), dim.atoms.end(), isKept);
            });
        if (mixed)
            gatherAndReduce();
        else
            reduceWhereItLies(blocking);
    }

private:
    void collectAtoms() {
        const ViewDims& view = context_.viewOf(in_);
        const Storage& storage = context_.storageOf(in_).storage;
        kept_.newAtom.assign(storage.atomSizes.size(), -1);
        kept_.storage.elementBytes = bytesOf(outType_);
        for (std::size_t d = 0; d < view.size(); ++d) {
            const auto axis = static_cast<std::int64_t>(d);
            const bool isReduced = std::find(attributes_.axes.begin(), attributes_.axes.end(),
                                             axis) != attributes_.axes.end();
            std::vector<int> outAtoms;
            for (const int atom : withoutOnes(view[d], storage)) {
                if (isReduced) {
                    reduced_.insert(atom);
                    continue;
                }
                kept_.newAtom[static_cast<std::size_t>(atom)] =
                    static_cast<int>(kept_.storage.atomSizes.size());
                outAtoms.push_back(static_cast<int>(kept_.storage.atomSizes.size()));
                kept_.storage.atomSizes.push_back(
                    storage.atomSizes[static_cast<std::size_t>(atom)]);
            }
            if (!isReduced || attributes_.keepDims)
                kept_.view.push_back(outAtoms);
        }
        for (const OrderLevel& level : storage.layout.order)
            if (const int atom = kept_.newAtom[static_cast<std::size_t>(level.atom)]; atom >= 0)
                kept_.storage.layout.order.push_back({atom, level.extent});
    }

    /// Every tile reduces what it has; tiles with partials of the same results then share them.
    void reduceWhereItLies(const Blocking& blocking) {
        Blocking out;
        out.copiesShare = true;
        out.copies = blocking.copies;
        out.firstTile = blocking.firstTile;
        for (const BlockedDim& dim : blocking.dims) {
            BlockedDim mapped = dim;
            mapped.atoms.clear();
            bool isReduced = false;
            for (const int atom : dim.atoms) {
                isReduced = isReduced || reduced_.contains(atom);
                if (const int kept = kept_.newAtom[static_cast<std::size_t>(atom)]; kept >= 0)
                    mapped.atoms.push_back(kept);
            }
            if (isReduced)
                out.copies.insert(out.copies.end(), dim.digits.begin(), dim.digits.end());
            else if (!mapped.atoms.empty() || mapped.size == 1)
                out.dims.push_back(std::move(mapped));
        }
        const TileSeries inputs = blocking.elements();
        Blocking wholeBlocks = out;
        wholeBlocks.copiesShare = false;
        const TileSeries partials = wholeBlocks.elements();
        const std::int64_t depth = out.copyCount();
        kept_.storage.layout.blocking = std::move(out);
        const VariableId input = context_.variableOf(in_);
        const TileSeries cycles =
            TileSeries::zip(inputs, partials, [&](std::int64_t n, std::int64_t results) {
                return reduceCycles(b_.target(), n, results, type_);
            });
        if (depth == 1) {
            const VariableId result = makeResult();
            b_.execute(op_.name + "/Reduce/InToOutNoExchange/Reduce", cycles,
                       {{reduceVertex(attributes_.function, type_, outType_), ones(inputs)}},
                       {{input}, {result}});
            return;
        }
        // Partials are kept in float (PopLibs popops/ReductionStages.cpp).
        constexpr DataType partialType = DataType::Float;
        const VariableId partial =
            b_.variable(op_.name + "/Reduce/intermediate", MemoryCategory::Variable,
                        partials.scaled(bytesOf(partialType)), std::string(toString(partialType)));
        b_.execute(op_.name + "/Reduce/ReduceOnTile/InToIntermediateNoExchange/Reduce", cycles,
                   {{reduceVertex(attributes_.function, type_, partialType), ones(inputs)}},
                   {{input}, {partial}});
        const std::string name = op_.name + "/Reduce/ReduceFinalStage/IntermediateToOutput/Reduce";
        const VariableId result = makeResult();
        const TileSeries results =
            context_.storageOf(op_.outputs[0]).storage.layout.blocking.elements();
        Traffic traffic;
        traffic.sent = partials - results;
        traffic.total = traffic.sent.sum();
        traffic.received = shareOut(traffic.total, results);
        traffic.messages =
            TileSeries::zip(results, {}, [&](std::int64_t, std::int64_t) { return depth - 1; });
        const TileSeries gatheredElements = traffic.received + results;
        const VariableId gathered = b_.variable(name + "/partials", MemoryCategory::Message,
                                                gatheredElements.scaled(bytesOf(partialType)),
                                                std::string(toString(partialType)));
        Movement movement;
        movement.add(b_.target(), traffic, bytesOf(partialType), bytesOf(partialType));
        b_.exchange(b_.exchangeName(name), std::move(movement), {{partial}, {gathered}});
        const TileSeries finalCycles =
            TileSeries::zip(gatheredElements, results, [&](std::int64_t n, std::int64_t outputs) {
                return reduceCycles(b_.target(), n, outputs, partialType);
            });
        b_.execute(name, finalCycles,
                   {{reduceVertex(attributes_.function, partialType, outType_), ones(results)}},
                   {{gathered}, {result}});
    }

    /// The storage is cut across kept and reduced indices: bring each result's inputs together.
    void gatherAndReduce() {
        const PlacedStorage placed = context_.storageOf(in_);
        std::vector<int> keptAtoms;
        std::vector<int> reducedAtoms;
        for (const std::vector<int>& dim : context_.viewOf(in_))
            for (const int atom : withoutOnes(dim, placed.storage))
                (reduced_.contains(atom) ? reducedAtoms : keptAtoms).push_back(atom);
        const std::int64_t results = sizeOf(keptAtoms, placed.storage);
        const std::int64_t each = sizeOf(reducedAtoms, placed.storage);
        const std::int64_t parts = std::min<std::int64_t>(results, b_.target().tilesPerIpu);
        Blocking need;
        std::vector<int> outAtoms;
        for (const int atom : keptAtoms)
            outAtoms.push_back(kept_.newAtom[static_cast<std::size_t>(atom)]);
        const TileDigit digit{static_cast<std::int32_t>(parts), 1};
        need.dims.push_back({keptAtoms, results, evenBlocks(results, parts), {digit}});
        need.dims.push_back({reducedAtoms, each, {{0, each}}, {{1, 1}}});
        std::vector<OrderLevel> order;
        for (const int atom : keptAtoms)
            order.push_back({atom, 0});
        for (const int atom : reducedAtoms)
            order.push_back({atom, 0});
        kept_.storage.layout.blocking.dims = {
            {outAtoms, results, evenBlocks(results, parts), {digit}}};
        const std::string name = op_.name + "/Reduce/InToOutput/Reduce";
        const OperandMove move = planMove(placed, need, order);
        OperandGather gather(context_, name);
        const VariableId gathered = gather.bring(placed, move, "in0");
        gather.emit();
        const TileSeries inputs = need.elements();
        const VariableId result = makeResult();
        const TileSeries cycles = TileSeries::zip(inputs, {}, [&](std::int64_t n, std::int64_t) {
            return reduceCycles(b_.target(), n, n / std::max<std::int64_t>(1, each), type_);
        });
        b_.execute(name, cycles,
                   {{reduceVertex(attributes_.function, type_, outType_), ones(inputs)}},
                   {{gathered}, {result}});
    }

    VariableId makeResult() {
        return context_.makeResult(op_.outputs[0], op_.name + "/out", kept_.storage, kept_.view);
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    const Op& op_;
    const ReduceAttributes& attributes_;
    TensorId in_;
    DataType type_, outType_;
    std::set<int> reduced_;
    KeptAtoms kept_;
};

} // namespace

void lowerReduce(LoweringContext& context, const Op& op) {
    ReduceLowering(context, op).run();
}

} // namespace tilescope::sim
