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
/// removed and an older file of the final name stays as it was. A signal that asks the process to
/// end removes it too (end_signals.h); what a process that was killed has left, the next one that
/// writes the same file.
class AtomicFile {
public:
    /// Creates missing parent directories, which go again without a commit. Throws UserError naming
    /// the directory and the reason.
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
    std::filesystem::path final_;
    std::filesystem::path temporary_;
    std::vector<std::filesystem::path> made_; ///< directories, innermost first
    int lock_ = -1; ///< descriptor of the temporary file, locked while it is in use
    RemovedOnSignal removed_;
    bool committed_ = false;
};

/// Writes text atomically. Throws UserError naming the file and the reason.
void writeFileAtomically(const std::filesystem::path& file, std::string_view text);
/// The same of what `write` puts out.
void writeFileAtomically(const std::filesystem::path& file,
                         const std::function<void(std::ostream&)>& write);

/// Reads a whole file. Throws UserError naming the file and the reason.
std::string readFile(const std::filesystem::path& file);

} // namespace tilescope
