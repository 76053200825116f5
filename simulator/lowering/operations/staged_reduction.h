// Sums of partials that lie on several tiles (PopLibs popops/reduction/Reduction.cpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "simulator/lowering/operations/reduce_work.h"
#include "simulator/lowering/places/context.h"
#include "simulator/planner/reduce_plan.h"

namespace tilescope::sim {

/// Partials of a reduction on tiles.
struct TilePartials {
    VariableId variable;
    DataType type = DataType::Float;
    TileSeries held;          ///< elements
    std::int64_t columns = 1; ///< of a region
};

/// The steps of one reduction that follow each other, from the tiles that hold its elements to
/// those that hold its results.
class StagedReduction {
public:
    /// `name`: of the operation. `rows`: elements that are reduced to one; `out`: the result's
    /// shape.
    StagedReduction(LoweringContext& context, std::string name, ReduceFunction function,
                    DataType outType, std::int64_t rows, Shape out);

    /// One or two compute sets that reduce the elements on each tile. Tiles that need only one
    /// write their results in the first. `second`: what secondPartials() returned for the work.
    void onTile(const std::string& name, const ReduceWork& work, DataType from, DataType to,
                const std::vector<VariableId>& inputs, VariableId second,
                const std::vector<VariableId>& results);
    /// What a second compute set reads; none where the work needs none.
    VariableId secondPartials(const std::string& name, const ReduceWork& work, DataType type);

    /// All elements are in partials: where their squares are added up, these are made.
    void elementsAreIn();
    /// Sums of sums on ever fewer tiles, until the results can be made where they are mapped.
    void addUp(TilePartials& partials, std::int64_t results);
    /// After addUp(): the `results` of each tile, in the variable that `makeResult` adds.
    void finish(const TilePartials& partials, const TileSeries& results,
                const std::function<VariableId()>& makeResult);

private:
    VariableId gather(const std::string& name, const TilePartials& partials,
                      const TileSeries& gathered, std::int64_t messages);
    [[nodiscard]] std::int32_t startTile() const;
    TilePartials addPartials(const std::string& name, const TilePartials& partials,
                             const ReduceStage& stage);

    LoweringContext& context_;
    ProgramBuilder& b_;
    std::string name_;
    ReduceFunction function_; ///< of the next stage
    DataType outType_, partialType_;
    std::int64_t rows_;
    Shape out_;
    std::int64_t depth_ = 1; ///< partials of a result that are left
};

} // namespace tilescope::sim
