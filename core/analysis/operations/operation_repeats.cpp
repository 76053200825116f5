#include "core/analysis/operations/operation_repeats.h"

#include <algorithm>

#include "core/base/saturating.h"

namespace tilescope {

std::int64_t repeatsInOperation(const IdVector<ProgramId, Program>& programs, ProgramId program) {
    const OperationId operation = programs[program].operation;
    std::int64_t repeats = 1;
    ProgramId above = programs[program].parent;
    // A damaged file may have parents in a circle.
    for (std::size_t i = 0; i < programs.size(); ++i) {
        if (!operation.valid() || !above.valid() || above.index() >= programs.size() ||
            programs[above].operation != operation)
            break;
        if (programs[above].kind == ProgramKind::Repeat)
            repeats = saturatingProduct(repeats, std::max<std::int64_t>(0, programs[above].count));
        above = programs[above].parent;
    }
    return repeats;
}

} // namespace tilescope
