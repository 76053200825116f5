#include "views/session/selection.h"

namespace tilescope::views {
namespace {
constexpr std::size_t longestHistory = 200;
}

void Selection::set(const Selected& selected) {
    if (selected == current_)
        return;
    past_.push_back(current_);
    if (past_.size() > longestHistory)
        past_.erase(past_.begin());
    future_.clear();
    current_ = selected;
    emit changed();
}

void Selection::reset() {
    past_.clear();
    future_.clear();
    current_ = {};
    emit changed();
}

void Selection::go(std::vector<Selected>& from, std::vector<Selected>& to) {
    if (from.empty())
        return;
    to.push_back(current_);
    current_ = from.back();
    from.pop_back();
    emit changed();
}

} // namespace tilescope::views
