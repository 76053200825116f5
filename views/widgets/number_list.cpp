#include "views/widgets/number_list.h"

#include <QStringList>
#include <algorithm>

namespace tilescope::views {

std::optional<std::vector<std::int32_t>> parseNumberList(const QString& text, std::int32_t below,
                                                         std::size_t most) {
    std::vector<std::int32_t> list;
    std::vector<bool> listed(static_cast<std::size_t>(std::max(0, below)), false);
    for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        if (part.trimmed().isEmpty())
            continue;
        const QStringList ends = part.split(QLatin1Char('-'));
        bool firstGood = false;
        bool lastGood = false;
        const int first = ends.front().trimmed().toInt(&firstGood);
        const int last = ends.back().trimmed().toInt(&lastGood);
        if (ends.size() > 2 || !firstGood || !lastGood || first < 0 || last < first ||
            last >= below)
            return std::nullopt;
        for (int number = first; number <= last && list.size() < most; ++number)
            if (!listed[static_cast<std::size_t>(number)]) {
                listed[static_cast<std::size_t>(number)] = true;
                list.push_back(number);
            }
    }
    return list;
}

} // namespace tilescope::views
