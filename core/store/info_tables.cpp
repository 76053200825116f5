// Headline figures, the target, options and times: rows of one table.
#include <fmt/format.h>
#include <limits>
#include <type_traits>

#include "core/base/error.h"
#include "core/database/page_checksum.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

// Key of the row saying that the file's pages have checksums, so that their loss is noticed too.
constexpr std::string_view checksumsKey = "sealed";

/// From this version on profiles may come from elsewhere and lack parts.
constexpr std::int64_t firstVersionWithOrigin = 12;

constexpr auto coverageTable = storedTable<CoverageRow>(
    {.name = "coverage", .since = firstVersionWithOrigin, .key = "part"}, [](auto& to, auto& c) {
        to(field("part", c.part), field("state", c.state), field("why", c.why));
    });

/// Calls visit(key, field, since) for every plain field; maps are not included. `since` is the
/// first schema version with the field.
template <class Info, class Visitor> void visitInfoFields(Info& info, Visitor&& visit) {
    visit("creator", info.creator, 1);
    visit("createdAt", info.createdAt, 1);
    visit("model", info.model, 1);
    visit("mode", info.mode, 1);
    visit("batchSize", info.batchSize, 1);
    visit("deviceIterations", info.deviceIterations, 1);
    visit("replicas", info.replicas, 1);
    visit("edges", info.edges, 1);
    visit("vertices", info.vertices, 1);
    visit("fits", info.fits, 1);
    visit("hasExecution", info.hasExecution, 1);
    visit("cycles", info.cycles, 1);
    visit("throughput", info.throughput, 1);
    visit("hostCallSeconds", info.hostCallSeconds, 9);
    visit("origin", info.origin.kind, firstVersionWithOrigin);
    visit("origin.tool", info.origin.tool, firstVersionWithOrigin);
    visit("origin.version", info.origin.version, firstVersionWithOrigin);
    visit("origin.digest", info.origin.digest, firstVersionWithOrigin);
    visitTargetFields(info.target, [&](std::string_view name, auto& field, std::int64_t since) {
        visit(fmt::format("target.{}", name), field, since);
    });
}

void writeInfo(const Profile& profile, const Database& db) {
    Insert row(db, "info");
    visitInfoFields(profile.info, [&](std::string_view key, const auto& value, std::int64_t) {
        row(key, value);
    });
    row(checksumsKey, true);
    const auto writeMap = [&](const std::string& prefix, const auto& map) {
        for (const auto& [key, value] : map)
            row(prefix + key, value);
    };
    writeMap("option.", profile.info.options);
    writeMap("engine.", profile.info.engineOptions);
    writeMap("timing.", profile.info.timings);
}

/// The rows of one file.
class InfoReader {
public:
    InfoReader(const Database& db, const std::filesystem::path& path, std::int64_t version)
        : db_(db)
        , path_(path)
        , version_(version) {}

    [[nodiscard]] ProfileInfo read() const {
        ProfileInfo info;
        readMaps(info);
        visitInfoFields(info, [this](std::string_view key, auto& field, std::int64_t since) {
            readField(key, field, since);
        });
        checkSize(info.target);
        readCoverage(info);
        return info;
    }

private:
    template <class... Args>
    [[noreturn]] void damaged(fmt::format_string<Args...> what, Args&&... args) const {
        throw UserError(fmt::format("'{}' is damaged: {}", path_.string(),
                                    fmt::format(what, std::forward<Args>(args)...)));
    }

    void readCoverage(ProfileInfo& info) const {
        try {
            info.coverage.rows = readRows<std::vector<CoverageRow>>(
                RowSource{db_, version_, info.target.totalTiles()}, coverageTable);
        } catch (const DamagedProfile& damage) {
            damaged("{}", damage.what());
        }
    }

    void readMaps(ProfileInfo& info) const {
        Statement row = db_.prepare("SELECT key, value FROM info");
        while (row.step()) {
            const std::string key = row.text(0);
            if (key == checksumsKey && !hasChecksums(path_))
                damaged("its checksums are missing. Write the profile again.");
            const auto under = [&](std::string_view prefix, auto& map, auto value) {
                if (!key.starts_with(prefix))
                    return false;
                map[key.substr(prefix.size())] = value;
                return true;
            };
            if (!under("option.", info.options, row.text(1)) &&
                !under("engine.", info.engineOptions, row.text(1)))
                under("timing.", info.timings, row.real(1));
        }
    }

    template <class Field>
    void readField(std::string_view key, Field& field, std::int64_t since) const {
        Statement row = db_.prepare("SELECT value FROM info WHERE key = ?");
        row.bind(0, key);
        const bool found = row.step();
        if (!found && version_ < since)
            return;
        if (!found)
            damaged("'{}' is missing from its info table", key);
        if constexpr (std::is_same_v<Field, std::string>)
            field = row.text(0);
        else if constexpr (std::is_same_v<Field, double>)
            field = row.real(0);
        else if constexpr (std::is_enum_v<Field>)
            readName(key, row.text(0), field);
        else
            field = static_cast<Field>(number(row, key, std::numeric_limits<Field>::max()));
    }

    template <class Enum>
    void readName(std::string_view key, const std::string& name, Enum& field) const {
        const std::optional<Enum> value = fromName<Enum>(name);
        if (!value)
            damaged("'{}' has an unknown name in its info table", key);
        field = *value;
    }

    /// A whole number from 0 to `most`.
    [[nodiscard]] std::int64_t number(const Statement& row, std::string_view key,
                                      std::int64_t most) const {
        const std::int64_t value = row.integer(0);
        if (value < 0 || value > most)
            damaged("'{}' cannot be {} in its info table", key, value);
        return value;
    }

    void checkSize(const Target& t) const {
        // Sizes of allocations depend on these: a damaged file must not ask for terabytes.
        constexpr std::int64_t mostTiles = 1'000'000;
        constexpr std::int64_t mostIpus = 1024; // four times what the options accept
        if (t.ipus < 1 || t.ipus > mostIpus || t.tilesPerIpu < 1 ||
            std::int64_t{t.ipus} * t.tilesPerIpu > mostTiles)
            damaged("{} IPUs of {} tiles are impossible", t.ipus, t.tilesPerIpu);
    }

    const Database& db_;
    const std::filesystem::path& path_;
    std::int64_t version_;
};

} // namespace

ProfileInfo readInfo(const Database& db, const std::filesystem::path& path, std::int64_t version) {
    return InfoReader(db, path, version).read();
}

TableGroup infoTables() {
    return {1,
            R"sql(
-- Headline figures, target (target.*), options (option.*), engine options (engine.*), phase times
-- (timing.*) and where the figures come from (origin, origin.*; since version 12). variables.tiles
-- (since version 15): rows of vars_info, which would have to be unrolled to count them.
CREATE TABLE info(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
)sql",
            {part<&Profile::info>(writeInfo,
                                  [](const ProfileReader::Impl& file) { return file.info; })}};
}

TableGroup coverageTables() {
    return {firstVersionWithOrigin,
            tablesSql(R"sql(
-- What the profile lacks because its original did (since version 12): state is part or none, why a
-- sentence. A simulated profile lacks nothing and has no rows.
CREATE TABLE coverage{};
)sql",
                      coverageTable),
            // They are read with the info table.
            {{typeid(void),
              [](const Profile& profile, const Database& db) {
                  writeRows(db, coverageTable, profile.info.coverage.rows);
              },
              nullptr}}};
}

} // namespace tilescope
