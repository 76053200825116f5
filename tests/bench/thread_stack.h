// Where a thread is.
#pragma once

#include <pthread.h>

namespace tilescope::bench {

/// Lets a thread print its call stack to standard error when it next runs: mangled, as addresses
/// where a library has no symbols. Reads well through c++filt.
void printStack(pthread_t thread);

} // namespace tilescope::bench
