#include "simulator/lowering/operations/staged_reduction.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/error.h"
#include "simulator/lowering/movement/copies.h"

namespace tilescope::sim {
namespace {

/// One value more in a hash, as boost::hash_combine did until Boost 1.81.
std::uint64_t hashCombined(std::uint64_t hash, std::uint64_t value) {
    constexpr std::uint64_t factor = 0xc6a4a7935bd1e995U;
    constexpr int half = 47;
    value *= factor;
    value ^= value >> half;
    value *= factor;
    return (hash ^ value) * factor + 0xe6546b64U;
}

/// A function's number in popops::Operation.
std::uint64_t operationNumber(ReduceFunction function) {
    switch (function) {
    case ReduceFunction::Add:
    case ReduceFunction::Mean:
        return 0;
    case ReduceFunction::Multiply:
        return 1;
    case ReduceFunction::Min:
    case ReduceFunction::ArgMin:
        return 2;
    case ReduceFunction::Max:
    case ReduceFunction::ArgMax:
        return 3;
    case ReduceFunction::SquareAdd:
        return 6;
    case ReduceFunction::LogAdd:
        return 7;
    }
    throw InternalError("unknown function of a reduction");
}

} // namespace

StagedReduction::StagedReduction(LoweringContext& context, std::string name,
                                 ReduceFunction function, DataType outType, std::int64_t rows,
                                 Shape out)
    : context_(context)
    , b_(context.builder())
    , name_(std::move(name))
    , function_(function)
    , outType_(outType)
    , partialType_(reducePartialType(function, outType))
    , rows_(rows)
    , out_(std::move(out)) {}

VariableId StagedReduction::secondPartials(const std::string& name, const ReduceWork& work,
                                           DataType type) {
    if (work.secondElements.empty())
        return {};
    return b_.variable(name + "/secondStagePartials", MemoryCategory::Variable,
                       work.secondElements.scaled(bytesOf(type)), std::string(toString(type)));
}

void StagedReduction::onTile(const std::string& name, const ReduceWork& work, DataType from,
                             DataType to, const std::vector<VariableId>& inputs, VariableId second,
                             const std::vector<VariableId>& results) {
    std::vector<VariableId> written = results;
    if (second.valid())
        written.push_back(second);
    b_.execute(name, work.cycles, {{reduceVertex(function_, from, to), work.vertices}},
               {inputs, written});
    if (second.valid())
        b_.execute(name + "_Second_Stage", work.secondCycles,
                   {{reduceVertex(function_, to, to), work.secondVertices}}, {{second}, results});
}

void StagedReduction::elementsAreIn() {
    if (function_ == ReduceFunction::SquareAdd)
        function_ = ReduceFunction::Add;
}

void StagedReduction::addUp(TilePartials& partials, std::int64_t results) {
    ReduceShape shape{results, partials.held.sum(), partials.columns, partials.held.tilesUsed()};
    for (int stage = 0; needsStage(context_.target(), shape); ++stage) {
        const ReduceStage next = spreadStage(context_.target(), function_, partials.type, shape);
        shape = next.after;
        partials = addPartials(
            fmt::format("{}/Reduce/ReduceStage{}/IntermediateToIntermediate/Reduce", name_, stage),
            partials, next);
    }
    depth_ = shape.sources();
}

/// Brings partials to the tiles that add them; those already there by chance are also counted.
VariableId StagedReduction::gather(const std::string& name, const TilePartials& partials,
                                   const TileSeries& gathered, std::int64_t messages) {
    Traffic traffic;
    traffic.total = gathered.sum();
    traffic.received = gathered;
    traffic.sent = shareOut(traffic.total, partials.held);
    traffic.messages = gathered.mapped([&](std::int64_t n) { return std::min(n, messages); });
    const VariableId variable =
        b_.variable(name + "/partials", MemoryCategory::Message,
                    gathered.scaled(bytesOf(partials.type)), std::string(toString(partials.type)));
    Movement movement;
    movement.add(context_.target(), traffic, bytesOf(partials.type),
                 partials.columns * bytesOf(partials.type));
    b_.exchange(b_.names().exchangeName(name), std::move(movement),
                {{partials.variable}, {variable}});
    return variable;
}

/// Reductions of different shapes begin on different tiles, so that their code does not gather on
/// the first ones: a hash of the matrix that is reduced, of the result's shape and of the function
/// (PopLibs Reduction.cpp, getStartTile; the last two are whether it updates and scales).
std::int32_t StagedReduction::startTile() const {
    std::uint64_t hash = 0x9e3779b9U;
    const auto add = [&](std::int64_t value) {
        hash = hashCombined(hash, static_cast<std::uint64_t>(value));
    };
    add(rows_);
    add(elementsOf(out_));
    for (const std::int64_t size : out_)
        add(size);
    hash = hashCombined(hash, operationNumber(function_));
    add(0);
    add(function_ == ReduceFunction::Mean ? 1 : 0);
    const auto tiles = static_cast<std::uint64_t>(context_.target().tilesPerIpu);
    return static_cast<std::int32_t>(hash % tiles);
}

TilePartials StagedReduction::addPartials(const std::string& name, const TilePartials& partials,
                                          const ReduceStage& stage) {
    ReduceWorkList list(context_.target(), function_, partials.type, partialType_);
    // From there on, and after the last tile from the first. Regions of the same results begin on
    // the first tile of their partials there; as that is the same for all weights, here too.
    const std::int32_t start = startTile();
    const std::int32_t tiles = context_.target().tilesPerIpu;
    const auto count = static_cast<std::int32_t>(stage.regionsOfTile.size());
    const std::int32_t again = std::max(0, start + count - tiles);
    const auto add = [&](std::int32_t tile, std::int32_t nth) {
        const std::int64_t regions = stage.regionsOfTile[static_cast<std::size_t>(nth)];
        list.add(tile, {{{stage.columns, stage.rows, 1, regions}}, 0});
    };
    for (std::int32_t tile = 0; tile < again; ++tile)
        add(tile, count - again + tile);
    for (std::int32_t nth = 0; nth < count - again; ++nth)
        add(start + nth, nth);
    const ReduceWork work = list.take();
    TilePartials next;
    next.type = partialType_;
    next.held = work.results;
    next.columns = stage.columns;
    const VariableId gathered = gather(name, partials, work.results.scaled(stage.rows), stage.rows);
    const VariableId second = secondPartials(name, work, partialType_);
    next.variable = b_.variable(name + "/out", MemoryCategory::Variable,
                                work.results.scaled(bytesOf(partialType_)),
                                std::string(toString(partialType_)));
    onTile(name, work, partials.type, partialType_, {gathered}, second, {next.variable});
    return next;
}

void StagedReduction::finish(const TilePartials& partials, const TileSeries& results,
                             const std::function<VariableId()>& makeResult) {
    const std::string name = name_ + "/Reduce/ReduceFinalStage/IntermediateToOutput/Reduce";
    ReduceWorkList list(context_.target(), function_, partials.type, outType_);
    for (const TileRun& run : results.runs())
        for (std::int32_t tile = run.first; tile < run.end; ++tile) {
            TileReductions reductions;
            const std::int64_t columns = std::min(partials.columns, run.value);
            reductions.regions.push_back({columns, depth_, 1, run.value / columns});
            if (run.value % columns != 0)
                reductions.regions.push_back({run.value % columns, depth_});
            list.add(tile, reductions);
        }
    const ReduceWork work = list.take();
    const VariableId gathered = gather(name, partials, results.scaled(depth_), depth_);
    const VariableId second = secondPartials(name, work, outType_);
    const VariableId result = makeResult();
    onTile(name, work, partials.type, outType_, {gathered}, second, {result});
}

} // namespace tilescope::sim
