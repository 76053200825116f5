#include "core/store/profile_reader.h"

#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace fs = std::filesystem;

ProfileReader::ProfileReader(const fs::path& file)
    : impl_(std::make_unique<Impl>(file)) {}
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

Profile ProfileReader::load() const {
    Profile profile;
    for (const TableGroup& group : tableGroups())
        group.read(*this, profile);
    return profile;
}

SqlResult ProfileReader::query(const std::string& sql, std::size_t maxRows) const {
    return runQuery(impl_->db, sql, maxRows);
}

} // namespace tilescope
