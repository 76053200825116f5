#include "core/database/file_pages.h"

#include <array>
#include <sqlite3.h>

#include "core/base/damaged_profile.h"
#include "core/database/file_header.h"

namespace tilescope {
namespace {

constexpr std::uint64_t withoutLog = 1; // versions 2 have a write-ahead log
constexpr std::uint64_t utf8 = 1;
constexpr std::size_t leastUsable = 480; // of a page

} // namespace

std::optional<FilePages> FilePages::of(const Database& db) {
    sqlite3_file* file = nullptr;
    if (sqlite3_db_readonly(db.handle(), "main") != 1 ||
        sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        file == nullptr || file->pMethods == nullptr)
        return std::nullopt;
    std::array<std::byte, fileHeaderBytes> header{};
    sqlite3_int64 bytes = 0;
    if (file->pMethods->xRead(file, header.data(), fileHeaderBytes, 0) != SQLITE_OK ||
        file->pMethods->xFileSize(file, &bytes) != SQLITE_OK)
        return std::nullopt;
    const auto field = [&header](std::size_t at, std::size_t size) {
        return bigEndian(std::span(header).subspan(at, size));
    };
    FilePages pages(db, file);
    pages.size_ = pageSizeIn(header);
    if (field(writeVersionAt, 1) != withoutLog || field(readVersionAt, 1) != withoutLog ||
        field(encodingAt, 4) != utf8 || pages.size_ < leastUsable + field(reservedAt, 1))
        return std::nullopt;
    pages.usable_ = pages.size_ - field(reservedAt, 1);
    pages.count_ = static_cast<std::size_t>(bytes) / pages.size_;
    return pages;
}

void FilePages::read(std::uint32_t number, std::vector<std::byte>& page) const {
    if (db_->isStopped())
        throw Cancelled();
    if (number < 1 || number > count_)
        throw DamagedProfile("a table names a page that does not exist");
    page.resize(size_);
    const auto offset = static_cast<sqlite3_int64>(number - 1) * static_cast<sqlite3_int64>(size_);
    const int code = file_->pMethods->xRead(file_, page.data(), static_cast<int>(size_), offset);
    if (code != SQLITE_OK)
        db_->fail(code);
}

} // namespace tilescope
