#include "core/analysis/accounting/row_names.h"

#include <cctype>

namespace tilescope {
namespace {

/// Without the number of an exchange: "cs12_conv1/Convolve/ExchangePre", "copy3_Copy_a_to_b/...".
std::string_view withoutNumber(std::string_view name) {
    for (const std::string_view word : {std::string_view("cs"), std::string_view("copy")}) {
        if (!name.starts_with(word))
            continue;
        std::size_t at = word.size();
        while (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0)
            ++at;
        if (at == word.size() || at >= name.size() || name[at] != '_')
            continue;
        name.remove_prefix(at + 1);
        // A copy belongs to what it is for.
        if (const std::size_t to = name.rfind("_to_"); word == "copy" && to != name.npos)
            name.remove_prefix(to + 4);
        break;
    }
    return name;
}

} // namespace

/// The first `depth` parts of a path.
std::string firstParts(std::string_view path, int depth) {
    std::size_t end = 0;
    for (int i = 0; i < depth && end != std::string_view::npos; ++i)
        end = path.find('/', i == 0 ? 0 : end + 1);
    return std::string(path.substr(0, end));
}

std::string libraryCall(std::string_view step) {
    std::string_view path = withoutNumber(step);
    for (const std::string_view last :
         {std::string_view("/ExchangePre"), std::string_view("/PreArrange-0")})
        if (path.ends_with(last))
            path.remove_suffix(last.size());
    const std::size_t slash = path.rfind('/');
    return std::string(slash == path.npos ? path : path.substr(0, slash));
}

} // namespace tilescope
