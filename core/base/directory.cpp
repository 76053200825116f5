#include "core/base/directory.h"

#include <dirent.h>
#include <memory>
#include <string_view>

namespace tilescope {
namespace {

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

} // namespace

std::vector<std::string> namesIn(const std::filesystem::path& directory) {
    const std::unique_ptr<DIR, CloseDirectory> opened(::opendir(directory.c_str()));
    std::vector<std::string> names;
    while (opened) {
        const dirent* const entry = ::readdir(opened.get());
        if (entry == nullptr)
            break;
        if (const std::string_view name = entry->d_name; name != "." && name != "..")
            names.emplace_back(name);
    }
    return names;
}

} // namespace tilescope
