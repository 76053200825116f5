#include "app/gui/find/option_finder.h"

#include <QCoreApplication>
#include <algorithm>

#include "app/gui/find/name_matches.h"
#include "core/options/option_table.h"
#include "views/theme/text.h"
#include "views/widgets/text_matcher.h"

namespace tilescope::gui {

OptionFinder::OptionFinder(const ProfileViewPtr& profile) {
    const ProfileInfo& info = profile->info();
    for (const auto& given : {info.options, info.engineOptions})
        for (const auto& [key, value] : given) {
            const OptionSpec* row = findOption(key);
            options_.push_back({QString::fromStdString(key),
                                views::shownName(value, views::mostOfOne),
                                row == nullptr ? QString() : QString::fromStdString(row->help)});
        }
    for (const OptionSpec& row : runOptionTable())
        if (!info.options.contains(row.key))
            options_.push_back({QString::fromStdString(row.key),
                                QCoreApplication::translate("Finder", "not given"),
                                QString::fromStdString(row.help)});
}

QString OptionFinder::heading() const {
    return QCoreApplication::translate("Finder", "Options of the run");
}

std::vector<Found> OptionFinder::find(const QString& typed, std::size_t most,
                                      const std::stop_token& stop) const {
    std::vector<std::size_t> numbers = bestNames(
        typed, options_.size(), [this](std::size_t i) { return options_[i].key; }, most, stop);
    const views::TextMatcher matcher(typed.trimmed());
    for (std::size_t i = 0; i < options_.size() && numbers.size() < most; ++i)
        if (matcher.matches(options_[i].help) &&
            std::find(numbers.begin(), numbers.end(), i) == numbers.end())
            numbers.push_back(i);
    std::vector<Found> all;
    for (const std::size_t number : numbers)
        all.push_back({options_[number].key, options_[number].value,
                       [key = options_[number].key](Guide& guide) { guide.showOption(key); }});
    return all;
}

} // namespace tilescope::gui
