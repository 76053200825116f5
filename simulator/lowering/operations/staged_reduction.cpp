#include "simulator/lowering/operations/staged_reduction.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "simulator/lowering/movement/copies.h"

namespace tilescope::sim {
namespace {

/// Of the FNV-1a hash.
constexpr std::uint64_t hashFactor = 1099511628211U;

} // namespace

StagedReduction::StagedReduction(LoweringContext& context, std::string name,
                                 ReduceFunction function, DataType outType, Shape in)
    : context_(context)
    , b_(context.builder())
    , name_(std::move(name))
    , function_(function)
    , outType_(outType)
    , partialType_(reducePartialType(function, outType))
    , in_(std::move(in)) {}

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
/// the first ones (PopLibs Reduction.cpp, getStartTile: a hash of the shape; which is *assumed*).
std::int32_t StagedReduction::startTile(std::int32_t tiles) const {
    auto seed = static_cast<std::uint64_t>(function_);
    for (const std::int64_t size : in_)
        seed = (seed ^ static_cast<std::uint64_t>(size)) * hashFactor;
    const std::int32_t places = std::max(1, context_.target().tilesPerIpu - tiles + 1);
    return static_cast<std::int32_t>((seed >> 32U) % static_cast<std::uint64_t>(places));
}

TilePartials StagedReduction::addPartials(const std::string& name, const TilePartials& partials,
                                          const ReduceStage& stage) {
    ReduceWorkList list(context_.target(), function_, partials.type, partialType_);
    std::int32_t tile = startTile(static_cast<std::int32_t>(stage.regionsOfTile.size()));
    for (const std::int64_t regions : stage.regionsOfTile)
        list.add(tile++, {{{stage.columns, stage.rows, 1, regions}}, 0});
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
