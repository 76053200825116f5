// The open file of a ProfileReader. Internal to core/store.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/file_stamp.h"
#include "core/store/profile_reader.h"
#include "core/trace/trace_tables.h"

namespace tilescope {

// More lists are in core/trace/trace_tables.h.
template <> inline constexpr IdList idListOf<OperationId>{"operations"};
template <> inline constexpr IdList idListOf<ModelTensorId>{"graph_tensors"};
template <> inline constexpr IdList idListOf<VariableId>{"variables"};
template <> inline constexpr IdList idListOf<VertexTypeId>{"vertex_types"};
template <> inline constexpr IdList idListOf<ComputeSetId>{"compute_sets", "compute_set"};
template <> inline constexpr IdList idListOf<ExchangeId>{"exchanges"};
template <> inline constexpr IdList idListOf<StreamId>{"streams"};
template <> inline constexpr IdList idListOf<RemoteBufferId>{"remote_buffers"};
template <> inline constexpr IdList idListOf<ValueTensorId>{"value_tensors"};
template <> inline constexpr IdList idListOf<SourceFileId>{"source_files"};
template <> inline constexpr IdList idListOf<SourceFrameId>{"source_frames"};

/// Schema version from which on nodes of the model's graph have lines of the program.
inline constexpr std::int64_t firstVersionWithSource = 12;

/// A file that is known to be a profile of a supported schema, with its info table read.
class ProfileReader::Impl {
public:
    /// Throws UserError for anything that is not such a file.
    explicit Impl(const std::filesystem::path& file);

    /// Throws UserError if the file's name now belongs to other contents than those of this stamp.
    void checkStamp(const FileStamp& expected) const;

    /// Whether the file's schema version is at least `since`.
    [[nodiscard]] bool has(std::int64_t since) const { return version >= since; }

    /// The file as its tables are read.
    [[nodiscard]] RowSource rows() const { return {db, version, info.target.totalTiles()}; }

    /// Adds the tiles [first, first + tiles) of a row, after which no tile has a value yet.
    void appendRun(TileSeries& series, std::int64_t first, std::int64_t tiles,
                   std::int64_t value) const;

    std::filesystem::path path;
    FileStamp stamp; ///< from before it was opened
    Database db;
    std::int64_t version = 0; ///< of the schema
    ProfileInfo info;
};

/// The info table. Throws UserError, naming the file, for what is missing or impossible.
ProfileInfo readInfo(const Database& db, const std::filesystem::path& path, std::int64_t version);

} // namespace tilescope
