// A profile file, read piece by piece.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/file_stamp.h"
#include "core/database/sql_query.h"
#include "core/profile/liveness_curve.h"
#include "core/profile/profile.h"
#include "core/table/table.h"
#include "core/trace/trace_index.h"

namespace tilescope {

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

    [[nodiscard]] std::vector<Message> messages() const;
    [[nodiscard]] IdVector<OperationId, Operation> operations() const;
    /// Not recorded in files before schema version 5.
    [[nodiscard]] ModelGraph modelGraph() const;
    /// Operations at their places, without calls of functions: the number in the model. For files
    /// without a graph, the number in the program.
    [[nodiscard]] std::int64_t modelOperations() const;
    [[nodiscard]] IdVector<LivenessClassId, LivenessClass> livenessClasses() const;
    [[nodiscard]] IdVector<VariableId, Variable> variables() const;
    [[nodiscard]] IdVector<VertexTypeId, VertexType> vertexTypes() const;
    [[nodiscard]] IdVector<ComputeSetId, ComputeSet> computeSets() const;
    [[nodiscard]] IdVector<ExchangeId, Exchange> exchanges() const;
    /// Empty for a file of schema version 1.
    [[nodiscard]] IdVector<CopyId, Copy> copies() const;
    [[nodiscard]] IdVector<StreamId, Stream> streams() const;
    [[nodiscard]] IdVector<RemoteBufferId, RemoteBuffer> remoteBuffers() const;
    [[nodiscard]] std::vector<ProgramId> phases() const; ///< empty if the execution is not phased
    [[nodiscard]] IdVector<ProgramId, Program> programs() const;
    [[nodiscard]] std::vector<ProgramId> controlPrograms() const;
    [[nodiscard]] std::vector<ProgramId> functions() const;
    [[nodiscard]] IdVector<StepId, ProgramId> steps() const;
    /// Not-always-live bytes over all tiles at each step, without the part of each IPU.
    [[nodiscard]] std::vector<std::int64_t> notAlwaysLive() const;
    [[nodiscard]] LivenessCurve livenessCurve() const;
    [[nodiscard]] std::vector<CategoryMemory> categoryMemory() const;
    [[nodiscard]] IdVector<TileId, TileMemory> tileMemory() const;
    [[nodiscard]] Trace trace() const;
    /// The index of the trace, which stays in the file if it is long.
    [[nodiscard]] TraceIndex traceIndex() const;
    [[nodiscard]] Pipeline pipeline() const; ///< empty if the execution is not pipelined
    /// In the order in which they began; empty in files before schema version 6.
    [[nodiscard]] std::vector<HostSpan> hostSpans() const;
    /// Empty in files before schema version 11.
    [[nodiscard]] HostRecord hostRecord() const;
    /// Empty in files before schema version 10, and of runs without --compute.
    [[nodiscard]] ProfileValues values() const;

    /// Addresses on one tile, sorted by offset; empty if nothing lies there.
    [[nodiscard]] Placement placement(TileId tile) const;
    /// Of all tiles: see Profile.
    [[nodiscard]] TileSeries placementOfTile() const;
    [[nodiscard]] IdVector<PlacementId, Placement> placements() const;

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

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tilescope
