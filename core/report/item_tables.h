// Tables of a profile's items on some tiles: a row for each that has something there, largest
// first. Ids of the rows are those of the items. Throw UserError for tiles that the target lacks.
#pragma once

#include "core/analysis/insights/largest_parts.h"
#include "core/analysis/liveness/liveness.h"
#include "core/profile/profile.h"
#include "core/table/table.h"
#include "core/target/selection.h"

namespace tilescope {

/// `placement`: of the one tile that is selected, for the offsets; nullptr leaves them out.
Table variablesTable(const Target& target, const IdVector<VariableId, Variable>& variables,
                     const TileSelection& tiles, const Placement* placement = nullptr);

/// Vertex types, by code plus state.
Table verticesTable(const Target& target, const IdVector<VertexTypeId, VertexType>& types,
                    const IdVector<ComputeSetId, ComputeSet>& computeSets,
                    const TileSelection& tiles);

/// Compute sets, by cycles.
Table computeSetsTable(const Target& target, const IdVector<ComputeSetId, ComputeSet>& computeSets,
                       const IdVector<VertexTypeId, VertexType>& types,
                       const IdVector<OperationId, Operation>& operations,
                       const TileSelection& tiles);

/// Exchanges, by code.
Table exchangesTable(const Target& target, const IdVector<ExchangeId, Exchange>& exchanges,
                     const IdVector<OperationId, Operation>& operations,
                     const TileSelection& tiles);

/// Live variables with their bytes, in the order given.
Table sizesTable(std::string key, std::string title, const std::vector<SizedVariable>& variables);

/// The largest parts of a kind in the order given; ids are their indices.
Table partsTable(PartKind kind, const TileSelection& tiles, const std::vector<SizedPart>& parts);

} // namespace tilescope
