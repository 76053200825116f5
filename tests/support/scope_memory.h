// Memory of a part of the model, category by category: what a pipeline stage of it would take.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/profile/profile.h"

namespace tilescope::test {

/// Bytes over all tiles, as Graphcore's popliner counts them.
struct ScopeMemory {
    std::int64_t vertexState = 0;  ///< of all vertices
    std::int64_t vertexCode = 0;   ///< each codelet once on each tile where the scope uses it
    std::int64_t exchangeCode = 0; ///< of its exchanges
    std::int64_t controlCode = 0;  ///< of its program leaves
    /// Of its variables, constants and messages: on each tile the most that are live at one of the
    /// steps from the scope's first to its last.
    std::int64_t variables = 0;
    std::int32_t operations = 0;
};

/// True for the scope's own name and for names below it: "Layer0/FF" has "Layer0/FF/1".
bool isInScope(std::string_view name, std::string_view scope);

/// Sums over the operations in a scope; all zero where there are none. Codelets that several
/// operations of the scope use count once.
ScopeMemory scopeMemory(const Profile& profile, std::string_view scope);

} // namespace tilescope::test
