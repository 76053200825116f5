// What the operations report shows, made on a worker thread.
#pragma once

#include <stop_token>

#include "views/session/open_profile.h"
#include "views/tables/data_table.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// A row for each operation; with two profiles their cycles side by side.
DataTable operationsTable(const ProfilePair& profiles, const std::stop_token& stop);

/// The operation's figures, plan and options; JSON objects become branches.
ValueTree operationDetails(const OpenProfile& profile, OperationId operation,
                           const std::stop_token& stop);

} // namespace tilescope::views
