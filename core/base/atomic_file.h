// Files that are either complete or not there.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string_view>
#include <vector>

#include "core/base/end_signals.h"

namespace tilescope {

/// Writes beside the final name and renames at commit(); without a commit the temporary file is
/// removed and an older file of the final name stays as it was. Of a link the file that it leads to
/// is replaced. A signal that asks the process to end removes the temporary file too
/// (end_signals.h); what a process that was killed has left, the next one that writes the same
/// file.
class AtomicFile {
public:
    /// Creates missing parent directories, which go again without a commit. Throws UserError naming
    /// the directory or file and the reason: it cannot be written, or is no regular file.
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

    std::filesystem::path name_;  ///< as the caller has it
    std::filesystem::path final_; ///< what that leads to
    std::filesystem::path temporary_;
    std::vector<std::filesystem::path> made_; ///< directories, innermost first
    int lock_ = -1; ///< descriptor of the temporary file, locked while it is in use
    RemovedOnSignal removed_;
    bool committed_ = false;
};

/// Writes what `write` puts out: all output of all programs goes through here. A regular file is
/// replaced, complete or not at all; a device, a FIFO or /dev/stdout is written into, and not
/// opened before there is something to write (output_target.h). Throws UserError naming the file
/// and the reason.
void writeFileAtomically(const std::filesystem::path& file,
                         const std::function<void(std::ostream&)>& write);
/// The same of text.
void writeFileAtomically(const std::filesystem::path& file, std::string_view text);

/// Throws what writing a file would, and leaves everything as it was: to be asked before minutes of
/// work.
void checkWritable(const std::filesystem::path& file);

/// Reads a whole file. Throws UserError naming the file and the reason.
std::string readFile(const std::filesystem::path& file);

} // namespace tilescope
