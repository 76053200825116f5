#include "core/store/profile_reader.h"

#include "core/base/rewritten_file.h"
#include "core/store/profile_relations.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace fs = std::filesystem;

ProfileReader::ProfileReader(const fs::path& file)
    : impl_(noticingChange(file, stampOf(file), [&] { return std::make_unique<Impl>(file); })) {}
ProfileReader::ProfileReader(const fs::path& file, const FileStamp& asItWas)
    : ProfileReader(file) {
    impl_->checkStamp(asItWas);
}
ProfileReader::~ProfileReader() = default;
ProfileReader::ProfileReader(ProfileReader&&) noexcept = default;

void ProfileReader::stopWith(std::stop_token token) {
    impl_->db.stopWith(std::move(token));
}
const fs::path& ProfileReader::file() const {
    return impl_->path;
}
const ProfileInfo& ProfileReader::info() const {
    return impl_->info;
}
const FileStamp& ProfileReader::stamp() const {
    return impl_->stamp;
}
bool ProfileReader::isUnchanged() const {
    return stampOf(impl_->path) == impl_->stamp;
}

Profile ProfileReader::load() const {
    Profile profile;
    for (const TableGroup& group : tableGroups())
        for (const StoredPart& part : group.parts)
            if (part.read)
                part.read(*impl_, profile);
    return profile;
}

void ProfileReader::readPart(PartKey key, Profile& profile) const {
    for (const TableGroup& group : tableGroups())
        for (const StoredPart& part : group.parts)
            if (part.key == key)
                part.read(*impl_, profile);
}

Profile ProfileReader::loadChecked() const {
    Profile profile = load();
    checkRelations(profile);
    return profile;
}

namespace {

/// As it is in CSV, but numbers stay numbers.
void bindCell(Statement& row, int at, const Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell))
        row.bind(at, std::string_view(*text));
    else if (const auto* real = std::get_if<double>(&cell))
        row.bind(at, *real);
    else if (const std::optional<double> number = numberOf(cell))
        row.bind(at, static_cast<std::int64_t>(*number));
    else
        row.bindNull(at);
}

} // namespace

void ProfileReader::addTable(const std::string& name, const Table& table) {
    const Table printed = shownIn(Shown::Data, table);
    std::string columns;
    for (const Column& column : printed.columns)
        columns += (columns.empty() ? "\"" : ", \"") + column.key + '"';
    impl_->db.execute("DROP TABLE IF EXISTS temp." + name + "; CREATE TEMP TABLE " + name + "(" +
                      columns + ")");
    Statement insert =
        impl_->db.prepare(insertSql("INSERT INTO temp." + name, printed.columns.size()));
    for (const Row& row : printed.rows) {
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            bindCell(insert, static_cast<int>(i), row.cells[i]);
        insert.run();
    }
}

void ProfileReader::attach(const std::filesystem::path& other, const std::string& name) {
    impl_->db.prepare("ATTACH ? AS " + name).bind(0, std::string_view(other.native())).run();
}

SqlResult ProfileReader::query(const std::string& sql, std::size_t maxRows) const {
    return runQuery(impl_->db, sql, maxRows);
}

} // namespace tilescope
