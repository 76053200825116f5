// Reports being out of memory where no handler can.
#pragma once

namespace tilescope {

/// From now on an unhandled lack of memory, as in a destructor, a library's own thread or a
/// noexcept function, ends the process with a message and status 2, after removing its temporary
/// files (end_signals.h); it is the computer's fault and not the program's. For main(), once; keeps
/// the pointer to the name.
void endOnLackOfMemory(const char* program);

} // namespace tilescope
