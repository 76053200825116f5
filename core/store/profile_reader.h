// A profile file, read piece by piece.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>
#include <typeindex>
#include <vector>

#include "core/base/file_stamp.h"
#include "core/database/sql_query.h"
#include "core/live/live_cells.h"
#include "core/profile/liveness_curve.h"
#include "core/profile/profile.h"
#include "core/table/table.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// The parts that a Profile has, a ProfileReader reads and a view keeps under one name.
#define TILESCOPE_PROFILE_PARTS(PART)                                                              \
    PART(messages)                                                                                 \
    PART(operations)                                                                               \
    PART(modelGraph)                                                                               \
    PART(livenessClasses)                                                                          \
    PART(variables)                                                                                \
    PART(vertexTypes)                                                                              \
    PART(computeSets)                                                                              \
    PART(exchanges)                                                                                \
    PART(copies)                                                                                   \
    PART(streams)                                                                                  \
    PART(remoteBuffers)                                                                            \
    PART(programs)                                                                                 \
    PART(controlPrograms)                                                                          \
    PART(functions)                                                                                \
    PART(phases)                                                                                   \
    PART(steps)                                                                                    \
    PART(categoryMemory)                                                                           \
    PART(tileMemory)                                                                               \
    PART(pipeline)                                                                                 \
    PART(hostRecord)                                                                               \
    PART(source)                                                                                   \
    PART(values)

/// Names a member of Profile.
using PartKey = std::type_index;
template <auto member> PartKey partKey() {
    return typeid(std::integral_constant<decltype(member), member>);
}

/// Opens a profile and loads its parts on request. One reader serves one thread at a time; a worker
/// opens its own (opening takes well under a millisecond). After a stop request every call ends
/// with Cancelled. All calls throw UserError on a damaged file.
class ProfileReader {
public:
    /// Throws UserError: no such file, empty, no SQLite file, another application's, newer schema,
    /// truncated.
    explicit ProfileReader(const std::filesystem::path& file);
    /// The same for a file that was opened before: fails if it has changed, so that two contents
    /// are not mixed.
    ProfileReader(const std::filesystem::path& file, const FileStamp& asItWas);
    ~ProfileReader();
    ProfileReader(ProfileReader&&) noexcept;
    ProfileReader& operator=(ProfileReader&&) = delete;

    void stopWith(std::stop_token token);
    [[nodiscard]] const std::filesystem::path& file() const;
    [[nodiscard]] const ProfileInfo& info() const; ///< loaded on opening
    [[nodiscard]] const FileStamp& stamp() const;
    /// Whether the file is still the one that was opened.
    [[nodiscard]] bool isUnchanged() const;

    /// A member of Profile, empty in files that are older than its tables.
    template <auto member> [[nodiscard]] auto read() const {
        Profile profile;
        readPart(partKey<member>(), profile);
        return std::move(profile.*member);
    }
    // variables() is an IdVector<VariableId, Variable>, and so on.
#define TILESCOPE_PART(name)                                                                       \
    [[nodiscard]] decltype(Profile::name) name() const {                                           \
        return read<&Profile::name>();                                                             \
    }
    TILESCOPE_PROFILE_PARTS(TILESCOPE_PART)
    TILESCOPE_PART(placementOfTile)
    TILESCOPE_PART(placements)
    TILESCOPE_PART(trace)
    TILESCOPE_PART(hostSpans)
#undef TILESCOPE_PART

    /// Operations at their places, without calls of functions: the number in the model. For files
    /// without a graph, the number in the program.
    [[nodiscard]] std::int64_t modelOperations() const;
    /// Variables, each as often as there are tiles that it lies on: the rows of the view vars_info.
    [[nodiscard]] std::int64_t variablesOnTiles() const;
    /// Not-always-live bytes over all tiles at each step, without the part of each IPU.
    [[nodiscard]] std::vector<std::int64_t> notAlwaysLive() const;
    [[nodiscard]] LivenessCurve livenessCurve() const;
    /// Live memory of all IPUs together over the time of a long trace; none in older files.
    [[nodiscard]] LiveCells liveCells() const;
    /// The index of the trace, which stays in the file if it is long.
    [[nodiscard]] TraceIndex traceIndex() const;
    /// Addresses on one tile, sorted by offset; empty if nothing lies there.
    [[nodiscard]] Placement placement(TileId tile) const;

    /// Everything, as it was written.
    [[nodiscard]] Profile load() const;
    /// The same for a whole compilation, with its lists checked against each other
    /// (checkRelations()).
    [[nodiscard]] Profile loadChecked() const;

    /// Makes a table of the connection for query(), which is not written to the file: its printed
    /// columns by their keys. Replaces an earlier one of that name.
    void addTable(const std::string& name, const Table& table);
    /// Makes another profile's tables readable by query(), as `name`.table.
    void attach(const std::filesystem::path& other, const std::string& name);
    /// Any SELECT, see runQuery().
    [[nodiscard]] SqlResult query(const std::string& sql,
                                  std::size_t maxRows = static_cast<std::size_t>(-1)) const;

    class Impl; ///< of core/store

private:
    void readPart(PartKey part, Profile& profile) const;

    std::unique_ptr<Impl> impl_;
};

} // namespace tilescope
