#include "app/gui/find/name_matches.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "app/gui/find/fuzzy.h"
#include "core/base/error.h"
#include "views/widgets/text_matcher.h"

namespace tilescope::gui {
namespace {

constexpr std::size_t looksForStop = 512; // names between two checks
constexpr int leastOfLetter = 8;          // of fuzzyScore(): every second in a row or first
constexpr qsizetype longestName = 400;    // letters; nothing beyond is visible

struct NameMatch {
    int score = 0;
    qsizetype length = 0;
    std::size_t number = 0;
    [[nodiscard]] auto order() const { return std::tuple(-score, length, number); }
};

// The best so far, as a heap with the worst of them in front.
class BestFew {
public:
    explicit BestFew(std::size_t most)
        : most_(most) {}
    void add(const NameMatch& match) {
        if (best_.size() == most_ && !better(match, best_.front()))
            return;
        if (best_.size() == most_) {
            std::pop_heap(best_.begin(), best_.end(), better);
            best_.pop_back();
        }
        best_.push_back(match);
        std::push_heap(best_.begin(), best_.end(), better);
    }
    std::vector<std::size_t> numbers() {
        std::sort_heap(best_.begin(), best_.end(), better);
        std::vector<std::size_t> numbers;
        for (const NameMatch& match : best_)
            numbers.push_back(match.number);
        return numbers;
    }

private:
    static bool better(const NameMatch& a, const NameMatch& b) { return a.order() < b.order(); }

    std::size_t most_;
    std::vector<NameMatch> best_;
};

} // namespace

std::vector<std::size_t> bestNames(const QString& typed, std::size_t count,
                                   const std::function<QString(std::size_t)>& name,
                                   std::size_t most, const std::stop_token& stop) {
    const views::TextMatcher matcher(typed.trimmed());
    if (matcher.empty() || most == 0)
        return {};
    // Letters scattered over a long name are not a match.
    const int least = leastOfLetter * static_cast<int>(matcher.text().size());
    for (const bool contained : {true, false}) {
        BestFew best(most);
        for (std::size_t i = 0; i < count; ++i) {
            if (i % looksForStop == 0 && stop.stop_requested())
                throw Cancelled();
            const QString text = name(i).left(longestName);
            if (contained && !matcher.matches(text))
                continue;
            const std::optional<int> score = fuzzyScore(typed, text);
            if (score && (contained || *score >= least))
                best.add({*score, text.size(), i});
        }
        if (std::vector<std::size_t> numbers = best.numbers(); !numbers.empty())
            return numbers;
    }
    return {};
}

} // namespace tilescope::gui
