// What an output name refers to: a file to replace, or something to write into.
#pragma once

#include <filesystem>

namespace tilescope {

struct OutputTarget {
    /// For a regular file, the file to create or replace, after following links; otherwise a name
    /// that opens it.
    std::filesystem::path path;
    /// False for a device, a FIFO, a socket and an open descriptor such as /dev/stdout.
    bool regular = true;
    int descriptor = -1; ///< of this process, if the name refers to one
};

/// Opens nothing. Throws UserError naming the file and the reason: a directory, a loop of links, a
/// file that may not be written.
OutputTarget outputTarget(const std::filesystem::path& name);

/// A new descriptor to write into a non-regular target; -1, with errno, on failure.
int openToWriteInto(const OutputTarget& target);

} // namespace tilescope
