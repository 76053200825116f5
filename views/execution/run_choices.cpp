#include "views/execution/run_choices.h"

#include <algorithm>

#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
QStringList RunChoices::names() const {
    QStringList names{Text::tr("All")};
    for (const TraceRun& run : runs)
        names.append(shownName(run.name));
    if (firstStep)
        names.append(Text::tr("First of %1 steps").arg(countText(firstStep->count)));
    return names;
}

int RunChoices::usual(std::int64_t cycles) const {
    if (firstStep)
        return static_cast<int>(runs.size()) + 1;
    const auto main = std::find_if(runs.begin(), runs.end(),
                                   [cycles](const TraceRun& run) { return run.cycles == cycles; });
    return main == runs.end() ? 0 : static_cast<int>(main - runs.begin()) + 1;
}

std::optional<CycleRange> RunChoices::range(int choice) const {
    if (choice <= 0)
        return {};
    const auto at = static_cast<std::size_t>(choice) - 1;
    if (at < runs.size())
        return CycleRange{runs[at].start, runs[at].start + runs[at].cycles};
    return firstStep ? std::optional(firstStep->range) : std::nullopt;
}

} // namespace tilescope::views
