// Names of places (which operation of the model runs where) and of rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/accounting/call_sites.h"
#include "core/profile/model_graph.h"

namespace tilescope {

/// An operation of the program at a place, as named in the model's graph.
struct PlaceName {
    ModelNodeId node; ///< none if the profile does not record it
    std::string path; ///< debug path, nested with '/'; never empty
};

/// Finds the model's operation for each operation that runs at the end of a chain of calls. Files
/// before schema version 7 do not record the chains: there the places of a function are taken in
/// the order of the model, those in the scope of the outermost call first.
class PlaceNames {
public:
    PlaceNames(const ModelGraph& graph, const IdVector<OperationId, Operation>& operations,
               const CallSites& sites);

    /// Call in order of execution, once for each place.
    PlaceName of(CallSiteId site, OperationId operation);
    /// Operations of the model that were never passed to of(): they have no steps in the program.
    [[nodiscard]] std::vector<ModelNodeId> unused() const;

private:
    [[nodiscard]] ModelNodeId exact(const std::vector<OperationId>& calls,
                                    OperationId operation) const;
    [[nodiscard]] ModelNodeId likely(const std::vector<OperationId>& calls,
                                     OperationId operation) const;
    [[nodiscard]] std::string scopeOf(const std::vector<OperationId>& calls) const;

    const ModelGraph& graph_;
    const IdVector<OperationId, Operation>& operations_;
    const CallSites& sites_;
    bool recorded_ = false;                       ///< nodes have their calls
    std::vector<std::vector<ModelNodeId>> nodes_; ///< by operation
    std::vector<bool> used_;                      ///< by node
};

/// The first `depth` parts of a path.
std::string firstParts(std::string_view path, int depth);

/// The call of a library that a step is part of: "conv1/Conv_7x7/Convolve/ExchangePre" and
/// "conv1/Conv_7x7/Convolve" are both of "conv1/Conv_7x7".
std::string libraryCall(std::string_view step);

/// End of the number that begins the name of an exchange or a copy: the position of the '_' in
/// "cs12_..." and "copy3_..."; 0 for other names.
std::size_t endOfCounter(std::string_view name);

} // namespace tilescope
