// Files that fuzzers write for what reads files.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <unistd.h>

namespace tilescope::fuzz {

/// A file that is written anew for every input and removed at the end. It lies in memory where the
/// system has a place for that.
class ScratchFile {
public:
    explicit ScratchFile(const std::string& name)
        : path_(folder() / ("fuzzer." + std::to_string(getpid()) + "." + name)) {}
    ~ScratchFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    void set(const std::string& bytes) const {
        std::ofstream stream(path_, std::ios::binary);
        if (!stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size())))
            std::abort();
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    static std::filesystem::path folder() {
        const std::filesystem::path memory = "/dev/shm";
        return std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
    }

    std::filesystem::path path_;
};

} // namespace tilescope::fuzz
