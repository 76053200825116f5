// The results database of a sweep.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/database/database.h"
#include "core/sweep/grid.h"
#include "core/sweep/point_result.h"

namespace tilescope {

/// The identity of a sweep.
struct SweepIdentity {
    std::string model;       ///< as the user named it
    std::string modelDigest; ///< fileDigest() of its file; "" for a built-in model
    std::string creator;     ///< program and version: another one may yield other results
    OptionValues options;    ///< as returned by fixedOptions()
};

/// Everything a results database holds.
struct SweepResults {
    SweepIdentity identity;
    SweepGrid grid;
    std::vector<std::optional<PointResult>> points; ///< by number; none: not done yet
};

/// Reads a results database. Throws UserError: no such file, not a results database, damaged,
/// written by a newer TileScope.
SweepResults readSweep(const std::filesystem::path& file);

/// True for a file that claims to be a results database, or a folder with one (sweep.db) and no
/// profile in it. Never throws; readSweep() reports further damage.
bool isSweep(const std::filesystem::path& path);

/// The results database that isSweep() found: the file itself, or the one in the folder.
std::filesystem::path sweepFileOf(const std::filesystem::path& path);

/// A results database to write to. Only one process at a time may write to a directory; readers may
/// read at any time.
class SweepStore {
public:
    enum class IfOther { Refuse, Replace };
    /// Opens or creates DIR/sweep.db for a sweep. If it holds another sweep, throws a UserError
    /// that says how they differ, or replaces its results. A file that is not a results database is
    /// never touched. Throws UserError as well while another process writes there.
    SweepStore(const std::filesystem::path& directory, const SweepIdentity& identity,
               const SweepGrid& grid, IfOther ifOther);

    /// Records a point and commits. Throws UserError if it cannot be written.
    void record(std::size_t point, const PointResult& result);

    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    [[nodiscard]] SweepResults read() const { return readSweep(file_); }

private:
    /// Held through the descriptor of the directory; the system releases it with the process.
    class DirectoryLock {
    public:
        explicit DirectoryLock(const std::filesystem::path& directory);
        ~DirectoryLock();
        DirectoryLock(const DirectoryLock&) = delete;
        DirectoryLock& operator=(const DirectoryLock&) = delete;

    private:
        int descriptor_;
    };

    void create(const SweepIdentity& identity);

    std::filesystem::path file_;
    SweepGrid grid_;
    DirectoryLock lock_;
    Database db_;
};

} // namespace tilescope
