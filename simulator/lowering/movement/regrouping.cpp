#include "simulator/lowering/movement/regrouping.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/ceil_div.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/cost/footprint.h"
#include "simulator/planner/regroup_plan.h"

namespace tilescope::sim {
namespace {

/// "a" or "{a,b}".
StepName listed(const StepNameSet& names) {
    if (names.size() == 1)
        return *names.begin();
    StepName list;
    for (const StepName& name : names)
        list += (list.text().empty() ? "{" : ",") + name;
    return list + "}";
}

} // namespace

StepName copyOf(const StepNameSet& from, const StepNameSet& to) {
    return "Copy_" + listed(from) + "_to_" + listed(to);
}

Traffic trafficFrom(const Regrouped& copy, const OperandMove& move, std::int64_t elementBytes) {
    Traffic traffic = move.traffic;
    traffic.received = move.bytes.mapped([&](std::int64_t n) { return n / elementBytes; });
    traffic.total = traffic.received.sum();
    traffic.sent = shareOut(traffic.total, copy.elements);
    traffic.receivers = receiversOf(traffic.total, copy.elements.sum());
    // Consecutive elements are on as many tiles as hold that many, and one more.
    const std::int64_t sources = copy.elements.tilesUsed();
    const std::int64_t each = std::max<std::int64_t>(1, copy.elements.max().value);
    traffic.messages = traffic.received.mapped(
        [&](std::int64_t n) { return std::min(sources, ceilDiv(n, each) + 1); });
    return traffic;
}

namespace {

std::int64_t elementsOf(const Storage& storage) {
    std::int64_t elements = 1;
    for (const std::int64_t size : storage.atomSizes)
        elements *= size;
    return elements;
}

/// Whole blocks of an operand over the tiles. PopLibs begins at a tile that is a hash of the shape
/// and goes round; here they end at the last tile, which products leave idle most often
/// (*assumed*).
TileSeries spreadBlocks(const Target& target, std::int64_t elements, const RegroupPlan& plan) {
    const std::int64_t onTile = plan.blocksPerTile * plan.rows * plan.columns;
    TileSeries share;
    std::int32_t tile = target.tilesPerIpu - static_cast<std::int32_t>(ceilDiv(elements, onTile));
    for (std::int64_t left = elements; left > 0; left -= onTile, ++tile)
        share.append(tile, tile + 1, std::min(left, onTile));
    return share;
}

/// Transposes blocks of one or more operands.
class TransposeSet {
public:
    TransposeSet(const Target& target, std::int64_t elementBytes)
        : target_(target)
        , elementBytes_(elementBytes) {}

    void add(const TileSeries& share, const RegroupPlan& plan) {
        operands_.push_back({share, plan});
    }

    ProgramId emit(ProgramBuilder& b, const std::string& name, const std::string& type,
                   Access access) {
        // Vertices of several operands follow each other on a tile.
        TileSeries cycles;
        std::vector<VertexUse> uses;
        std::vector<const Operand*> listed;
        for (const Operand& operand : operands_) {
            const TransposeMethod method = transposeMethod(target_, operand.plan, elementBytes_);
            if (method == TransposeMethod::Workers) {
                listed.push_back(&operand);
                continue;
            }
            cycles += cyclesOf(operand, method);
            uses.push_back(vertexOf(operand, method, type));
        }
        if (!listed.empty())
            addListed(listed, type, cycles, uses);
        return b.execute(name, cycles, std::move(uses), std::move(access));
    }

private:
    struct Operand {
        TileSeries share;
        RegroupPlan plan;
    };

    [[nodiscard]] TileSeries cyclesOf(const Operand& operand, TransposeMethod method) const {
        const bool half = elementBytes_ == 2;
        const RegroupPlan& plan = operand.plan;
        const TransposePart part = method == TransposeMethod::Split
                                       ? splitTranspose(target_, plan)
                                       : TransposePart{plan.rows, plan.columns};
        return operand.share.mapped([&](std::int64_t n) {
            if (method == TransposeMethod::Split)
                n = std::min(n, part.rows * part.columns);
            else if (method == TransposeMethod::OneWorker)
                n *= target_.workers;
            return transposeCycles(target_, n, part.rows, part.columns, half);
        });
    }

    [[nodiscard]] VertexUse vertexOf(const Operand& operand, TransposeMethod method,
                                     const std::string& type) const {
        VertexUse use;
        use.name = fmt::format("poplar_rt::{}<{}>",
                               method == TransposeMethod::OneWorker ? "Transpose1DSingleWorker"
                               : method == TransposeMethod::Split   ? "SplitTranspose1D"
                                                                    : "Transpose1D",
                               type);
        use.count =
            operand.share.mapped([](std::int64_t n) { return static_cast<std::int64_t>(n > 0); });
        return use;
    }

    /// Elements of four bytes. A single operand is contiguous, and one vertex shares it out to the
    /// workers; blocks of several are listed, one list per worker, all taken to have the largest
    /// block.
    void addListed(const std::vector<const Operand*>& operands, const std::string& type,
                   TileSeries& cycles, std::vector<VertexUse>& uses) const {
        std::int64_t rows = 1, columns = 1;
        TileSeries elements, blocks;
        for (const Operand* operand : operands) {
            const std::int64_t block = operand->plan.rows * operand->plan.columns;
            elements += operand->share;
            blocks += operand->share.mapped([&](std::int64_t n) { return ceilDiv(n, block); });
            rows = std::max(rows, operand->plan.rows);
            columns = std::max(columns, operand->plan.columns);
        }
        cycles += elements.mapped([&](std::int64_t n) {
            return transposeCycles(target_, n, rows, columns, elementBytes_ == 2);
        });
        const bool single = operands.size() == 1;
        const std::int64_t most = single ? 1 : target_.workers;
        VertexUse use;
        use.name = fmt::format("poplar_rt::{}<{}>",
                               single ? "Transpose1D" : "Transpose1DSingleWorker", type);
        use.count = blocks.mapped([&](std::int64_t n) { return std::min(n, most); });
        if (!single)
            use.listBytes = blocks.scaled(transposedBlockBytes);
        uses.push_back(std::move(use));
    }

    const Target& target_;
    std::int64_t elementBytes_;
    std::vector<Operand> operands_;
};

/// The tiles of a spread copy whose elements are joined with padding: its last ones.
TileSeries paddedShare(const TileSeries& share, std::int64_t padded) {
    TileSeries result;
    std::int64_t before = share.sum() - padded;
    for (const TileRun& run : share.runs())
        for (std::int32_t tile = run.first; tile < run.end; ++tile) {
            const std::int64_t here = std::clamp<std::int64_t>(run.value - before, 0, run.value);
            before = std::max<std::int64_t>(0, before - run.value);
            if (here > 0)
                result.append(tile, tile + 1, here);
        }
    return result;
}

} // namespace

std::vector<Regrouped> regroup(LoweringContext& context, const std::string& op,
                               const std::vector<RegroupRequest>& requests) {
    ProgramBuilder& b = context.builder();
    const std::string preRegroup = op + "/preRegroup";
    StepNameSet sources;
    Movement movement;
    Access moved, transposed;
    TransposeSet transposes(b.machine(), requests.front().placed.storage.elementBytes);
    std::string type;
    std::int64_t runBytes = 0;
    TileSeries padded;
    std::vector<Regrouped> results;
    for (const RegroupRequest& request : requests) {
        const Storage& storage = request.placed.storage;
        const Variable& source = b.lowered().profile.variables[request.placed.variable];
        sources.insert(b.nameOf(request.placed.variable));
        type = source.type;
        const std::int64_t elements = request.elements > 0 ? request.elements : elementsOf(storage);
        const RegroupPlan plan = planRegroup(context.target(), elements, storage.elementBytes,
                                             request.move.sourceRun, request.move.wantedGroup);
        const TileSeries share = spreadBlocks(context.target(), elements, plan);
        const TileSeries bytes = share.scaled(storage.elementBytes);
        const std::int64_t run = plan.columns * storage.elementBytes;
        runBytes = runBytes == 0 ? run : std::min(runBytes, run);
        const VariableId spread = b.variable(preRegroup, MemoryCategory::Variable, bytes, type);
        const VariableId result =
            b.variable(op + "/partialTranspose", MemoryCategory::Variable, bytes, type);
        Traffic traffic;
        traffic.total = elements;
        traffic.received = share;
        traffic.sent = shareOut(traffic.total, storage.layout.blocking.elements());
        traffic.messages = share.ones().scaled(2);
        movement.add(b.machine(), traffic, storage.elementBytes, run);
        transposes.add(share, plan);
        padded += paddedShare(share, request.paddedElements).scaled(storage.elementBytes);
        moved.reads.push_back(request.placed.variable);
        moved.writes.push_back(spread);
        transposed.reads.push_back(spread);
        transposed.writes.push_back(result);
        results.push_back({result, share});
    }
    if (!padded.empty())
        sources.insert("ValuePadder/padding");
    const CopyPass pass = !padded.empty()       ? CopyPass::Padded
                          : requests.size() > 1 ? CopyPass::Merged
                                                : CopyPass::Written;
    const StepName copy =
        b.names().copyName(copyOf(sources, {preRegroup}), pass, static_cast<int>(requests.size()));
    const std::vector<VariableId> spreads = moved.writes;
    const ExchangeId exchange =
        b.exchange(copy + "/ExchangePre", std::move(movement), std::move(moved));
    if (!padded.empty())
        emitJoin(b, copy + "/OnTileCopy-0", padded, runBytes, {spreads, spreads});
    const ProgramId program = transposes.emit(b, op + "/Transpose_#0", type, std::move(transposed));
    for (std::size_t i = 0; i < requests.size(); ++i)
        recordCopy(context, requests[i].placed, requests[i].move,
                   {spreads[i], results[i].variable, exchange}, CopyCause::Plan, program, true);
    return results;
}

namespace {

/// From an evenly spread copy, all parts in one exchange.
void bringParts(LoweringContext& context, const std::string& op, const Regrouped& copy,
                std::int64_t elementBytes, const std::vector<PartOfOperand>& parts) {
    ProgramBuilder& b = context.builder();
    Movement movement;
    Access access{{copy.variable}, {}};
    for (const PartOfOperand& part : parts) {
        movement.add(b.machine(), trafficFrom(copy, part.move, elementBytes), elementBytes,
                     part.move.wantedGroup * elementBytes);
        access.writes.push_back(part.target);
    }
    const StepName name = b.names().copyName("Copy_" + b.nameOf(copy.variable) + "_to_" + op);
    b.exchange(name + "/ExchangePre", std::move(movement), std::move(access));
}

} // namespace

void copyRegrouped(LoweringContext& context, const std::string& op, const RegroupRequest& request,
                   VariableId target) {
    const Regrouped copy = regroup(context, op, {request}).front();
    bringParts(context, op, copy, request.placed.storage.elementBytes, {{request.move, target}});
}

void copyRegrouped(LoweringContext& context, const std::string& op, const PlacedStorage& placed,
                   const std::vector<PartOfOperand>& parts) {
    const Regrouped copy = regroup(context, op, {{placed, parts.front().move}}).front();
    bringParts(context, op, copy, placed.storage.elementBytes, parts);
}

namespace {

/// Blocks of `block` elements by the tile of their first one, in elements; and the part of them on
/// other tiles, which only the last block has: `cut` is one there.
struct BlocksOfTiles {
    TileSeries elements, received, cut;
};

BlocksOfTiles blocksWhereTheyBegin(const TileSeries& held, std::int64_t block) {
    BlocksOfTiles blocks;
    std::int64_t begin = 0;
    for (const TileRun& run : held.runs())
        for (std::int32_t tile = run.first; tile < run.end; ++tile) {
            const std::int64_t end = begin + run.value;
            const std::int64_t first = ceilDiv(begin, block) * block;
            const std::int64_t last = ceilDiv(end, block) * block;
            blocks.elements.append(tile, tile + 1, last - first);
            const std::int64_t received = last > first ? last - end : 0;
            blocks.received.append(tile, tile + 1, received);
            blocks.cut.append(tile, tile + 1, received > 0 ? 1 : 0);
            begin = end;
        }
    return blocks;
}

} // namespace

Regrouped regroupAsTheyLie(LoweringContext& context, const std::string& op,
                           const RegroupRequest& request) {
    ProgramBuilder& b = context.builder();
    const Storage& storage = request.placed.storage;
    const std::string type = b.lowered().profile.variables[request.placed.variable].type;
    const std::string name = op + "/weightTranspose";
    RegroupPlan plan;
    plan.rows = request.move.wantedGroup;
    plan.columns = request.move.sourceGroup;
    const std::int64_t block = plan.rows * plan.columns;
    const BlocksOfTiles blocks = blocksWhereTheyBegin(storage.layout.blocking.elements(), block);
    plan.blocks = ceilDiv(elementsOf(storage), block);
    plan.blocksPerTile = blocks.elements.max().value / block;
    const TileSeries bytes = blocks.elements.scaled(storage.elementBytes);
    VariableId source = request.placed.variable;
    ExchangeId exchange;
    const auto copyApart = [&](const std::string& step, VariableId from, const std::string& to,
                               const TileSeries& copiedBytes) {
        const VariableId copied = b.variable(to, MemoryCategory::Variable, copiedBytes, type);
        emitJoin(b, name + step, copiedBytes, shortestUnstridedRun, {{from}, {copied}});
        return copied;
    };
    // Vertices with a list of blocks take them one by one and only need each to be in one piece.
    const bool listed =
        transposeMethod(context.target(), plan, storage.elementBytes) == TransposeMethod::Workers;
    if (const std::int64_t moved = blocks.received.sum(); moved > 0) {
        Traffic traffic;
        traffic.total = moved;
        traffic.received = blocks.received;
        traffic.sent = shareOut(moved, storage.layout.blocking.elements());
        traffic.messages = blocks.received.ones();
        Movement movement;
        movement.add(b.machine(), traffic, storage.elementBytes,
                     plan.columns * storage.elementBytes);
        const VariableId message = b.variable(name + "/message", MemoryCategory::Message,
                                              blocks.received.scaled(storage.elementBytes), type);
        exchange =
            b.exchange(name + "/Transpose/ExchangePre", std::move(movement), {{source}, {message}});
        source = copyApart("/Transpose/PreArrange-0", message, name + "/blocks",
                           listed ? blocks.cut.scaled(block * storage.elementBytes) : bytes);
    }
    VariableId result = b.variable(name + "/transposed", MemoryCategory::Variable, bytes, type);
    TransposeSet transposes(b.machine(), storage.elementBytes);
    transposes.add(blocks.elements, plan);
    std::vector<VariableId> read{source};
    if (listed && source != request.placed.variable)
        read.push_back(request.placed.variable);
    const ProgramId program =
        transposes.emit(b, name + "/Transpose", type, {std::move(read), {result}});
    recordCopy(context, request.placed, request.move, {source, result, exchange}, CopyCause::Plan,
               program, true);
    if (plan.blocksPerTile > 1 && !listed)
        result = copyApart("/Transpose/PostArrange-0", result, name + "/transposed", bytes);
    return {result, blocks.elements};
}

} // namespace tilescope::sim
