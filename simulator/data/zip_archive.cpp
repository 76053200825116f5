#include "simulator/data/zip_archive.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <fmt/format.h>
#include <zip.h>

#include "core/base/error.h"

namespace tilescope::sim {
namespace {

/// The functions of libzip. Loaded by the first of these; it stays, as libraries that it uses do.
class ZipLibrary {
public:
    ZipLibrary()
        : library_(dlopen(TILESCOPE_ZIP_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
        find(open, "zip_open");
        find(discard, "zip_discard");
        find(entries, "zip_get_num_entries");
        find(stat, "zip_stat_index");
        find(openEntry, "zip_fopen_index");
        find(read, "zip_fread");
        find(closeEntry, "zip_fclose");
    }

    decltype(&zip_open) open = nullptr;
    decltype(&zip_discard) discard = nullptr;
    decltype(&zip_get_num_entries) entries = nullptr;
    decltype(&zip_stat_index) stat = nullptr;
    decltype(&zip_fopen_index) openEntry = nullptr;
    decltype(&zip_fread) read = nullptr;
    decltype(&zip_fclose) closeEntry = nullptr;

private:
    template <class Function> void find(Function& function, const char* name) const {
        if (library_ != nullptr)
            function = reinterpret_cast<Function>(dlsym(library_, name));
        if (function == nullptr)
            throw UserError(fmt::format("{}: .npz files cannot be read without it; install it, or "
                                        "save .npy files",
                                        dlerror()));
    }

    void* library_;
};

} // namespace

struct ZipArchive::Handle {
    Handle(const ZipLibrary& functions, zip_t* opened)
        : library(functions)
        , archive(opened) {}
    ~Handle() { library.discard(archive); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    ZipLibrary library;
    zip_t* archive;
};

ZipArchive::ZipArchive(std::unique_ptr<Handle> handle)
    : handle_(std::move(handle)) {}
ZipArchive::ZipArchive(ZipArchive&&) noexcept = default;
ZipArchive& ZipArchive::operator=(ZipArchive&&) noexcept = default;
ZipArchive::~ZipArchive() = default;

std::optional<ZipArchive> ZipArchive::open(const std::filesystem::path& file) {
    const ZipLibrary library;
    int code = 0;
    zip_t* const archive = library.open(file.c_str(), ZIP_RDONLY, &code);
    if (archive == nullptr)
        return std::nullopt;
    return ZipArchive(std::make_unique<Handle>(library, archive));
}

std::int64_t ZipArchive::entries() const {
    return handle_->library.entries(handle_->archive, 0);
}

std::optional<ZipArchive::Entry> ZipArchive::entry(std::int64_t index) const {
    zip_stat_t stat;
    if (handle_->library.stat(handle_->archive, static_cast<zip_uint64_t>(index), 0, &stat) != 0)
        return std::nullopt;
    return Entry{stat.name, stat.size};
}

std::optional<std::string> ZipArchive::contents(std::int64_t index, std::uint64_t most) const {
    const ZipLibrary& library = handle_->library;
    const std::unique_ptr<zip_file_t, decltype(library.closeEntry)> entry(
        library.openEntry(handle_->archive, static_cast<zip_uint64_t>(index), 0),
        library.closeEntry);
    if (!entry)
        return std::nullopt;
    std::string bytes;
    std::array<char, 1 << 16> block;
    while (bytes.size() <= most) {
        const zip_int64_t got = library.read(entry.get(), block.data(), block.size());
        if (got < 0)
            return std::nullopt;
        if (got == 0)
            break;
        bytes.append(block.data(), std::min<std::uint64_t>(static_cast<std::uint64_t>(got),
                                                           most + 1 - bytes.size()));
    }
    return bytes;
}

} // namespace tilescope::sim
