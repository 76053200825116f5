// Damaged copies of a profile: what a bad disk, a cut download, another program or another version
// might leave. Every copy follows from the numbers drawn, so a seed or a fuzzer's input repeats it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tilescope::test {

/// Draws a number in [0, bound); bound is at least 1.
using Draw = std::function<std::uint64_t(std::uint64_t bound)>;

/// The same numbers for the same seed on every machine.
Draw seededDraw(std::uint64_t seed);

/// A damaged copy, and what was done to it: "exchanges.bytes_sent of row 3: blob cut to 2 bytes".
struct DamagedCopy {
    std::string bytes;
    std::string what;
};

/// Damages a profile once: bytes of the file (flipped, cut, pages overwritten), or, through SQLite,
/// its content (tables dropped, renamed, emptied; columns dropped; rows deleted, copied, moved;
/// numbers that cannot be, references to nowhere and in circles, text that is no UTF-8, blobs cut,
/// lengthened, flipped; the version of the schema). `profile` may be damaged already. A profile
/// that SQLite cannot read any more is damaged as bytes.
DamagedCopy damagedCopy(const std::string& profile, const Draw& draw);

/// A sound profile with names that mean something to HTML, terminals, spreadsheets, SQL, regular
/// expressions or file systems, are no UTF-8, or are very long, in every column of text that is
/// free.
DamagedCopy hostileCopy(const std::string& profile, const Draw& draw);

} // namespace tilescope::test
