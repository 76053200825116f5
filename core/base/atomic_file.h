// Files that are either complete or absent.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string_view>
#include <vector>

#include "core/base/end_signals.h"

namespace tilescope {

/// Writes next to the final name and renames at commit(); without a commit the temporary file is
/// removed and an older file of the final name stays as it was. If the name is a link, the file
/// that it leads to is replaced. A signal that asks the process to end removes the temporary file
/// too (end_signals.h); one left by a killed process is removed by the next process that writes the
/// same file.
class AtomicFile {
public:
    /// Creates missing parent directories, which are removed again without a commit. Throws
    /// UserError naming the directory or file and the reason: it cannot be written, or is not a
    /// regular file.
    explicit AtomicFile(std::filesystem::path finalPath);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    [[nodiscard]] const std::filesystem::path& temporaryPath() const { return temporary_; }
    /// Of the temporary file, to write to.
    [[nodiscard]] int descriptor() const { return lock_; }
    /// Flushes to the disk and renames. Throws UserError.
    void commit();

private:
    struct Unmade {};
    AtomicFile(std::filesystem::path finalPath, Unmade);
    void makeTemporary(const std::filesystem::path& directory, const SignalHold& hold);
    [[nodiscard]] bool tryToMake(const std::filesystem::path& directory, const SignalHold& hold);

    std::filesystem::path name_;  ///< as given by the caller
    std::filesystem::path final_; ///< the file that the name leads to
    std::filesystem::path temporary_;
    std::vector<std::filesystem::path> made_; ///< directories, innermost first
    int lock_ = -1; ///< descriptor of the temporary file, locked while it is in use
    RemovedOnSignal removed_;
    bool committed_ = false;
};

/// Writes the output of `write`: all output of all programs goes through here. A regular file is
/// replaced, completely or not at all; a device, a FIFO or /dev/stdout is written into, and not
/// opened before there is something to write (output_target.h). Throws UserError naming the file
/// and the reason.
void writeFileAtomically(const std::filesystem::path& file,
                         const std::function<void(std::ostream&)>& write);
/// The same for text.
void writeFileAtomically(const std::filesystem::path& file, std::string_view text);

/// Throws if writing the file would, and leaves everything as it was: to be called before minutes
/// of work.
void checkWritable(const std::filesystem::path& file);

/// Reads a whole file. Throws UserError naming the file and the reason.
std::string readFile(const std::filesystem::path& file);

} // namespace tilescope
