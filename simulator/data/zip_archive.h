// Files within a .zip file, read by libzip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace tilescope::sim {

/// A .zip file that is open. libzip is loaded with the first of them: with the libraries that it
/// needs itself it takes a fifth of the time of a short command, and few runs read such a file.
class ZipArchive {
public:
    /// nullopt if the file is no such archive. Throws UserError if libzip cannot be loaded.
    static std::optional<ZipArchive> open(const std::filesystem::path& file);

    ZipArchive(ZipArchive&&) noexcept;
    ZipArchive& operator=(ZipArchive&&) noexcept;
    ~ZipArchive();

    [[nodiscard]] std::int64_t entries() const;
    struct Entry {
        std::string name;
        std::uint64_t bytes = 0; ///< as stated, which may be wrong
    };
    /// nullopt if what the archive says of it is damaged.
    [[nodiscard]] std::optional<Entry> entry(std::int64_t index) const;
    /// An entry's contents; nullopt if they are damaged. No more than one byte beyond `most`.
    [[nodiscard]] std::optional<std::string> contents(std::int64_t index, std::uint64_t most) const;

private:
    struct Handle;
    explicit ZipArchive(std::unique_ptr<Handle> handle);

    std::unique_ptr<Handle> handle_;
};

} // namespace tilescope::sim
