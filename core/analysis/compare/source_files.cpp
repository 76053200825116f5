#include "core/analysis/compare/source_files.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace tilescope {
namespace {

using Pairs = IdVector<SourceFileId, SourceFileId>;
/// Files without another version yet, by a key, in their order.
using Left = std::map<std::string_view, std::vector<SourceFileId>>;

std::string_view pathOf(const SourceNames& names, SourceFileId file) {
    return names.code().files[file].path;
}

std::string_view shortPathOf(const SourceNames& names, SourceFileId file) {
    return names.shortPath(file);
}

std::string_view lastPartOf(const SourceNames& names, SourceFileId file) {
    const std::string_view path = names.shortPath(file);
    return path.substr(path.rfind('/') + 1);
}

template <class Key> Left leftOf(const SourceNames& names, const Pairs& paired, Key key) {
    Left left;
    for (std::size_t i = 0; i < paired.size(); ++i)
        if (const SourceFileId file(i); !paired[file].valid())
            left[key(names, file)].push_back(file);
    return left;
}

} // namespace

SourceFilePairs pairedFiles(const SourceNames& source, const SourceNames& target) {
    SourceFilePairs pairs;
    for (std::size_t i = 0; i < source.code().files.size(); ++i)
        pairs.ofSource.add({});
    for (std::size_t i = 0; i < target.code().files.size(); ++i)
        pairs.ofTarget.add({});
    const auto pair = [&](auto key, bool alone) {
        const Left others = leftOf(target, pairs.ofTarget, key);
        for (const auto& [name, files] : leftOf(source, pairs.ofSource, key)) {
            const auto found = others.find(name);
            if (found == others.end() || (alone && files.size() + found->second.size() > 2))
                continue;
            for (std::size_t i = 0; i < std::min(files.size(), found->second.size()); ++i) {
                pairs.ofSource[files[i]] = found->second[i];
                pairs.ofTarget[found->second[i]] = files[i];
            }
        }
    };
    pair(pathOf, false);
    pair(shortPathOf, false);
    pair(lastPartOf, true);
    return pairs;
}

} // namespace tilescope
