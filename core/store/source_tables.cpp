// The lines of the user's program that made the model's operations.
#include <algorithm>

#include "core/store/compression.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

/// A file of a hundred thousand long lines stays below this; recorded texts have a megabyte.
constexpr std::size_t mostTextBytes = std::size_t{1} << 24;

/// NULL where no text was recorded.
std::optional<std::vector<std::byte>> textBlob(const std::string& text) {
    if (text.empty())
        return std::nullopt;
    return compressed(std::as_bytes(std::span(text)));
}

std::string textAt(const Statement& row, int at) {
    if (row.isNull(at))
        return {};
    const std::vector<std::byte> raw =
        decompressed(row.blob(at), mostTextBytes, "the text of a source file cannot be read");
    std::string text(raw.size(), '\0');
    std::transform(raw.begin(), raw.end(), text.begin(),
                   [](std::byte byte) { return static_cast<char>(byte); });
    return text;
}

constexpr auto fileTable = storedTable<SourceFile>({"source_files"}, [](auto& to, auto& f) {
    to(rowNumber("id"), field("path", f.path), field("origin", f.origin),
       derived("bytes", f.text.size()), derived("text", textBlob(f.text)),
       readFrom("text", f.text, textAt));
});

std::int32_t lineAt(const Statement& row, int at) {
    const auto line = valueAt<std::int32_t>(row, at);
    if (line < 0)
        throw DamagedProfile("a line of the program has an impossible number");
    return line;
}

constexpr auto frameTable = storedTable<SourceFrame>({"source_frames"}, [](auto& to, auto& f) {
    to(rowNumber("id"), field("parent", f.parent), field("file", f.file, required),
       field("line", f.line, lineAt), field("function", f.function));
});

constexpr auto anchorTable = storedTable<SourceAnchor>({"source_anchors"}, [](auto& to, auto& a) {
    to(rowNumber("id"), field("kind", a.kind), field("frame", a.frame, required));
});

void writeSource(const Profile& profile, const Database& db) {
    writeRows(db, fileTable, profile.source.files);
    writeRows(db, frameTable, profile.source.frames);
    writeRows(db, anchorTable, profile.source.anchors);
}

SourceCode readSource(const ProfileReader::Impl& of) {
    if (!of.has(firstVersionWithSource))
        return {};
    const RowSource file = of.rows();
    SourceCode source{readRows<IdVector<SourceFileId, SourceFile>>(file, fileTable),
                      readRows<IdVector<SourceFrameId, SourceFrame>>(file, frameTable),
                      readRows<std::vector<SourceAnchor>>(file, anchorTable)};
    for (std::size_t i = 0; i < source.frames.size(); ++i)
        if (const SourceFrameId parent = source.frames[SourceFrameId(i)].parent;
            parent.valid() && parent.index() >= i)
            throw DamagedProfile("a line of the program is called by a later one");
    return source;
}

} // namespace

TableGroup sourceTables() {
    return {firstVersionWithSource,
            tablesSql(R"sql(
-- Files of the program that made the model (since version 12). origin: mine, library, notebook. text:
-- zstd-compressed, as it was when the model was compiled; NULL where it was not recorded, as for libraries.
CREATE TABLE source_files{};
-- Lines of it in the chains of calls that made operations, callers before what they call. parent: the
-- caller; NULL for the outermost.
CREATE TABLE source_frames{};
-- Lines outside of the model. kind: model (where it was wrapped), optimizer, call (that compiled it).
CREATE TABLE source_anchors{};
)sql",
                      fileTable, frameTable, anchorTable),
            {part<&Profile::source>(writeSource, readSource)}};
}

} // namespace tilescope
