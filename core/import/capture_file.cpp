#include "core/import/capture_file.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include "core/base/damaged_profile.h"
#include "core/base/printable.h"
#include "core/tiles/varint.h"

namespace tilescope {
namespace {

constexpr std::string_view remedy = "Capture the profile again with tilescope_capture.py.";
/// Names of people's programs are shorter.
constexpr std::size_t longestText = std::size_t{1} << 16;
/// The rows of a table that was read are never more than this, so that ids stay ids.
constexpr std::size_t longestSeries = std::size_t{1} << 26;

constexpr auto tables = std::to_array<std::string_view>({"info",
                                                         "sections",
                                                         "names",
                                                         "series",
                                                         "tiles",
                                                         "tile_categories",
                                                         "vertex_types",
                                                         "compute_sets",
                                                         "vertex_instances",
                                                         "programs",
                                                         "program_children",
                                                         "roots",
                                                         "program_variables",
                                                         "classes",
                                                         "variables",
                                                         "liveness_steps",
                                                         "recorded_tiles",
                                                         "runs",
                                                         "step_kinds",
                                                         "step_chunks",
                                                         "measured",
                                                         "contexts",
                                                         "operations"});

} // namespace

CaptureFile::CaptureFile(const std::filesystem::path& file, std::stop_token stop)
    : path_(file)
    , db_(DatabaseOrigin{file.string(), "capture", remedy}, Database::Mode::ReadOnly) {
    db_.stopWith(std::move(stop));
    const std::int64_t id = db_.integer("PRAGMA application_id");
    const std::int64_t format = db_.integer("PRAGMA user_version");
    if (id != captureApplicationId)
        throw UserError(fmt::format("'{}' is not a capture: it is a SQLite file of another "
                                    "application (application_id {:#x}). {}",
                                    path_.string(), id, remedy));
    if (format > captureFormat)
        throw UserError(fmt::format("'{}' is a capture of format {}, this TileScope reads format "
                                    "{}: import it with a newer TileScope.",
                                    path_.string(), format, captureFormat));
    if (format != captureFormat)
        throw UserError(
            fmt::format("'{}' is a capture without a format. {}", path_.string(), remedy));
    checkTables();
}

void CaptureFile::damaged(std::string_view table, std::string_view key,
                          std::string_view what) const {
    constexpr std::size_t shown = 60; // characters of the key
    throw UserError(fmt::format("'{}' is damaged: table {}, row {}: {}. {}", path_.string(), table,
                                printable(std::string(key.substr(0, shown))), what, remedy));
}

// A view in place of a table may never end.
void CaptureFile::checkTables() const {
    for (const std::string_view table : tables) {
        Statement found = db_.prepare("SELECT type = 'table' AND coalesce(rootpage, 0) > 0 "
                                      "FROM sqlite_master WHERE name = ?");
        found.bind(0, table);
        if (!found.step() || found.integer(0) == 0)
            throw UserError(fmt::format("'{}' is damaged: it has no table {}. {}", path_.string(),
                                        table, remedy));
    }
}

Statement CaptureFile::info(std::string_view key) const {
    Statement row = db_.prepare("SELECT value FROM info WHERE key = ?");
    row.bind(0, key);
    return row;
}

std::optional<std::string> CaptureFile::text(std::string_view key) const {
    Statement row = info(key);
    if (!row.step() || row.isNull(0))
        return std::nullopt;
    std::string value = row.text(0);
    if (value.size() > longestText)
        damaged("info", key, "its text is too long");
    return value;
}

std::optional<std::int64_t> CaptureFile::number(std::string_view key, std::int64_t least,
                                                std::int64_t most) const {
    const std::optional<double> value = real(key);
    if (!value)
        return std::nullopt;
    if (*value != std::floor(*value) || *value < static_cast<double>(least) ||
        *value > static_cast<double>(most))
        damaged("info", key, fmt::format("the value cannot be {}", *value));
    return static_cast<std::int64_t>(*value);
}

std::optional<double> CaptureFile::real(std::string_view key) const {
    Statement row = info(key);
    if (!row.step() || row.isNull(0))
        return std::nullopt;
    if (row.type(0) != SQLITE_INTEGER && row.type(0) != SQLITE_FLOAT)
        damaged("info", key, "the value is not a number");
    const double value = row.real(0);
    if (!std::isfinite(value))
        damaged("info", key, "the value is not finite");
    return value;
}

bool CaptureFile::lacksName(std::string_view name) const {
    Statement row = db_.prepare("SELECT asked > 0 AND asked = failed FROM names WHERE name = ?");
    row.bind(0, name);
    return row.step() && row.integer(0) != 0;
}

bool CaptureFile::has(std::string_view section) const {
    Statement row = db_.prepare("SELECT state FROM sections WHERE name = ?");
    row.bind(0, section);
    return row.step() && row.text(0) == "done";
}

void CaptureFile::readSeries(std::int64_t tiles) {
    CaptureRows row(*this, "series", {"id", "data"});
    std::size_t runs = 0;
    while (row.next()) {
        if (row.number(0) != static_cast<std::int64_t>(series_.size()))
            row.damaged(0, "rows before it are missing");
        try {
            series_.push_back(TileSeries::decode(row.blob(1)));
        } catch (const UserError&) {
            row.damaged(1, "it is not a series of values by tile");
        }
        for (const TileRun& run : series_.back().runs())
            if (run.value < 0 || run.end > tiles)
                row.damaged(1, "its values are not of this machine");
        runs += series_.back().runs().size();
        if (runs > longestSeries)
            row.damaged(1, "series have more runs than there can be");
    }
}

CaptureRows::CaptureRows(const CaptureFile& file, std::string_view table,
                         std::vector<std::string_view> columns, std::string_view order)
    : file_(file)
    , table_(table)
    , columns_(std::move(columns))
    , row_(file.db_.prepare(
          fmt::format("SELECT {} FROM {} ORDER BY {}", fmt::join(columns_, ", "), table, order))) {}

void CaptureRows::damaged(int at, std::string_view what) const {
    file_.damaged(table_, row_.text(0),
                  fmt::format("{}: {}", columns_[static_cast<std::size_t>(at)], what));
}

std::int64_t CaptureRows::number(int at, std::int64_t least, std::int64_t most) const {
    if (row_.type(at) != SQLITE_INTEGER)
        damaged(at, "it is not a whole number");
    const std::int64_t value = row_.integer(at);
    if (value < least || value > most)
        damaged(at, fmt::format("it cannot be {}", value));
    return value;
}

std::optional<std::int64_t> CaptureRows::maybe(int at, std::int64_t least,
                                               std::int64_t most) const {
    if (row_.isNull(at))
        return std::nullopt;
    return number(at, least, most);
}

std::optional<double> CaptureRows::real(int at) const {
    if (row_.isNull(at))
        return std::nullopt;
    if (row_.type(at) != SQLITE_INTEGER && row_.type(at) != SQLITE_FLOAT)
        damaged(at, "it is not a number");
    const double value = row_.real(at);
    if (!std::isfinite(value))
        damaged(at, "it is not finite");
    return value;
}

std::string CaptureRows::text(int at) const {
    if (row_.isNull(at))
        return {};
    std::string value = row_.text(at);
    if (value.size() > longestText)
        damaged(at, "the text is too long");
    return value;
}

const TileSeries& CaptureRows::series(int at) const {
    static const TileSeries none;
    const std::optional<std::int64_t> id = maybe(at);
    if (!id)
        return none;
    if (*id >= static_cast<std::int64_t>(file_.series_.size()))
        damaged(at, fmt::format("there is no series {}", *id));
    const TileSeries& found = file_.series_[static_cast<std::size_t>(*id)];
    file_.runsLeft_ -= static_cast<std::int64_t>(found.runs().size());
    if (file_.runsLeft_ < 0)
        damaged(at, "more rows share a series than there can be");
    return found;
}

std::vector<std::int64_t> CaptureRows::ascending(int at) const {
    std::vector<std::int64_t> values;
    std::int64_t before = 0;
    try {
        VarintReader reader(blob(at));
        while (!reader.atEnd()) {
            const std::uint64_t difference = reader.next();
            if (difference > static_cast<std::uint64_t>(largestId - before))
                damaged(at, "it has an impossible id");
            before += static_cast<std::int64_t>(difference);
            values.push_back(before);
        }
    } catch (const DamagedProfile&) {
        damaged(at, "it ends too early");
    }
    return values;
}

} // namespace tilescope
