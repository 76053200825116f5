// What a program does where it is out of memory and no handler can say so.
#pragma once

namespace tilescope {

/// From now on a lack of memory that nobody handles, as in a destructor, a library's own thread or
/// a function that may not throw, ends the process with a message and status 2, and its temporary
/// files are removed (end_signals.h); it is the computer's and no fault of the program. For main(),
/// once; the name is kept.
void endOnLackOfMemory(const char* program);

} // namespace tilescope
