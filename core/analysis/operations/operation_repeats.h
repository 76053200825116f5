// How often steps run within their operation.
#pragma once

#include <cstdint>

#include "core/profile/profile.h"

namespace tilescope {

/// Times that a program runs in one execution of its operation: the counts of the repeats around it
/// that belong to the operation too, as those of a convolution's serial parts do. 1 for a program
/// of no operation; repeats of batches and calls of functions are no part of an operation.
/// Saturates.
std::int64_t repeatsInOperation(const IdVector<ProgramId, Program>& programs, ProgramId program);

} // namespace tilescope
