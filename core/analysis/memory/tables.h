// The flat tables of a profile for a selection of tiles: variables, vertices, compute sets,
// exchanges. Rows come largest first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "core/target/selection.h"

namespace tilescope {

struct VariableRow {
    VariableId variable;
    std::string name;
    MemoryCategory category = MemoryCategory::Variable;
    bool alwaysLive = false;
    std::string type;
    std::string shape;
    OperationId operation;
    std::int64_t bytes = 0; ///< on the selected tiles
    std::int32_t tiles = 0; ///< selected tiles that hold a part
    std::int64_t maxTileBytes = 0;
    TileId maxTile; ///< first selected tile with maxTileBytes
};
/// Variables with bytes on the selected tiles.
std::vector<VariableRow> variableTable(const Target& target,
                                       const IdVector<VariableId, Variable>& variables,
                                       const TileSelection& selection);

struct VertexRow {
    VertexTypeId type;
    std::string name;
    std::int64_t codeBytes = 0;  ///< over the selected tiles, code stored once a tile
    std::int64_t stateBytes = 0; ///< of all instances on the selected tiles
    std::int64_t count = 0;      ///< instances on the selected tiles
    std::vector<ComputeSetId> computeSets;
};
/// Vertex types with code or instances on the selected tiles, by code plus state.
std::vector<VertexRow> vertexTable(const Target& target,
                                   const IdVector<VertexTypeId, VertexType>& types,
                                   const IdVector<ComputeSetId, ComputeSet>& computeSets,
                                   const TileSelection& selection);

struct ComputeSetRow {
    ComputeSetId computeSet;
    std::string name;
    OperationId operation;
    std::int64_t vertices = 0;
    std::int64_t stateBytes = 0;
    std::int32_t tiles = 0;  ///< selected tiles that compute
    std::int64_t cycles = 0; ///< slowest selected tile, one execution
    double balance = 0;      ///< active cycles / (cycles x selected tiles), 0 to 1
};
/// Compute sets with work on the selected tiles, by cycles.
std::vector<ComputeSetRow> computeSetTable(const Target& target,
                                           const IdVector<ComputeSetId, ComputeSet>& computeSets,
                                           const TileSelection& selection);

struct ExchangeRow {
    ExchangeId exchange;
    std::string name;
    OperationId operation;
    std::int64_t bytesReceived = 0; ///< by the selected tiles
    std::int64_t bytesSent = 0;
    std::int64_t codeBytes = 0;
    std::int64_t cycles = 0;   ///< slowest selected tile
    std::int64_t runBytes = 0; ///< typical contiguous run at the source; 0 if nothing moves
};
/// Exchanges with bytes or code on the selected tiles, by code.
std::vector<ExchangeRow> exchangeTable(const Target& target,
                                       const IdVector<ExchangeId, Exchange>& exchanges,
                                       const TileSelection& selection);

} // namespace tilescope
