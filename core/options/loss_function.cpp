#include "core/options/loss_function.h"

#include <array>
#include <cctype>
#include <string>

namespace tilescope {
namespace {

struct LossRow {
    LossFunction loss;
    std::string_view name, kerasName;
    bool sorts;
};

/// In the order of LossFunction.
constexpr auto lossRows = std::to_array<LossRow>({
#define LOSS(function, name, kerasName, sorts) {LossFunction::function, name, kerasName, sorts},
#include "core/options/losses.def"
#undef LOSS
});

const LossRow& rowOf(LossFunction loss) {
    return lossRows.at(static_cast<std::size_t>(loss));
}

/// Ignores case and punctuation: Keras has a function and a class for each loss.
std::string plain(std::string_view name) {
    std::string result;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

} // namespace

std::string_view toString(LossFunction loss) {
    return rowOf(loss).name;
}

std::optional<LossFunction> lossFunctionFrom(std::string_view name) {
    const std::string wanted = plain(name);
    for (const LossRow& row : lossRows)
        if (!wanted.empty() && (plain(row.name) == wanted || plain(row.kerasName) == wanted))
            return row.loss;
    return std::nullopt;
}

std::vector<std::string_view> lossFunctionNames() {
    std::vector<std::string_view> names;
    names.reserve(2 * lossRows.size());
    for (const LossRow& row : lossRows)
        names.push_back(row.name);
    for (const LossRow& row : lossRows)
        if (!row.kerasName.empty())
            names.push_back(row.kerasName);
    return names;
}

bool sortsIntoClasses(LossFunction loss) {
    return rowOf(loss).sorts;
}

} // namespace tilescope
