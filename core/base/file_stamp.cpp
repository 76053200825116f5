#include "core/base/file_stamp.h"

#include <sys/stat.h>

namespace tilescope {

FileStamp stampOf(const std::filesystem::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0)
        return {};
    return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
            status.st_mtim.tv_nsec};
}

} // namespace tilescope
