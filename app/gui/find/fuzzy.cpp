#include "app/gui/find/fuzzy.h"

#include <algorithm>
#include <vector>

namespace tilescope::gui {
namespace {

constexpr int none = -1'000'000;
constexpr int ofLetter = 4;
constexpr int ofWordBegin = 12;
constexpr int ofRow = 8;
constexpr int ofSkipped = -1;

bool beginsWord(const QString& text, qsizetype at) {
    return at == 0 || !text[at - 1].isLetterOrNumber();
}

} // namespace

// best[j]: the best score of the letters so far with the last one at j. For short texts.
std::optional<int> fuzzyScore(const QString& typed, const QString& text) {
    std::vector<int> best;
    for (const QChar letter : typed) {
        if (letter.isSpace())
            continue;
        std::vector<int> next(static_cast<std::size_t>(text.size()), none);
        int reached = best.empty() ? 0 : none; // best score that ends before j, skips included
        for (qsizetype j = 0; j < text.size(); ++j) {
            const auto at = static_cast<std::size_t>(j);
            const int before = best.empty() || j == 0 ? none : best[at - 1];
            if (text[j].toCaseFolded() == letter.toCaseFolded()) {
                const int own = ofLetter + (beginsWord(text, j) ? ofWordBegin : 0);
                const int joined = before == none ? none : before + own + ofRow;
                next[at] = std::max(reached == none ? none : reached + own, joined);
            }
            if (reached != none)
                reached += ofSkipped;
            reached = std::max(reached, before == none ? none : before + ofSkipped);
        }
        best = std::move(next);
    }
    if (best.empty()) // nothing typed, or no text to find it in
        return typed.trimmed().isEmpty() ? std::optional(0) : std::nullopt;
    const int score = *std::max_element(best.begin(), best.end());
    return score == none ? std::nullopt : std::optional(score);
}

} // namespace tilescope::gui
