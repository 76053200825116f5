// The two kinds of error: the user's (exit status 2) and ours (exit status 3).
#pragma once

#include <stdexcept>

namespace tilescope {

/// Something the user can fix. The text says what is wrong, where (file, node, key) and the remedy.
class UserError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A broken invariant of TileScope itself.
class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// A read that its caller stopped; never shown to the user.
class Cancelled : public std::runtime_error {
public:
    Cancelled()
        : std::runtime_error("cancelled") {}
};

} // namespace tilescope
