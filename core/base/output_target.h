// What the name of an output leads to: a file to replace, or something to write into.
#pragma once

#include <filesystem>

namespace tilescope {

struct OutputTarget {
    /// Links are followed: a file that is to be made or replaced, never the link to it. Of what is
    /// written into the name that opens it.
    std::filesystem::path path;
    /// False for a device, a FIFO, a socket and an open descriptor such as /dev/stdout.
    bool regular = true;
    int descriptor = -1; ///< of this process, if the name stands for one
};

/// Opens nothing. Throws UserError naming the file and the reason: a directory, a loop of links, a
/// file that may not be written.
OutputTarget outputTarget(const std::filesystem::path& name);

/// A new descriptor to write into what is not regular; -1, with errno, if there is none to have.
int openToWriteInto(const OutputTarget& target);

} // namespace tilescope
