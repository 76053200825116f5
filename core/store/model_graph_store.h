// The tables of the model's graph. Internal to core/store.
#pragma once

#include "core/database/database.h"
#include "core/profile/profile.h"

namespace tilescope {

/// Names and types of nodes are stored where they differ from those of the node's operation, names
/// of tensors where they differ from that of the node that makes them.
void writeModelGraph(const Database& db, const ModelGraph& graph,
                     const IdVector<OperationId, Operation>& operations);

/// Empty for an older file. Throws UserError on rows that cannot be.
ModelGraph readModelGraph(const Database& db);

} // namespace tilescope
