#include "views/execution/trace_item.h"

#include <algorithm>

#include "views/execution/trace_selection.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

/// The kinds that make up most of a merged box, as its colour shows.
QString readOutOfShares(const TraceBox& box) {
    std::vector<std::pair<int, ProgramKind>> most;
    for (const ProgramKind kind : programKinds)
        if (const int share = box.shares[static_cast<std::size_t>(kind)]; share > 0)
            most.emplace_back(share, kind);
    std::sort(most.rbegin(), most.rend());
    constexpr std::size_t named = 3;
    constexpr double full = 255;
    QStringList parts;
    for (std::size_t i = 0; i < std::min(named, most.size()); ++i)
        parts << Text::tr("%1 %2 %")
                     .arg(textOf(toString(most[i].second)))
                     .arg(100 * most[i].first / full, 0, 'f', 0);
    return parts.isEmpty() ? QString() : QLatin1Char('\n') + parts.join(QStringLiteral(", "));
}

} // namespace

TraceItem::TraceItem(const TraceQuestion& question, std::string key, std::string name, bool target)
    : key_(std::move(key))
    , name_(std::move(name))
    , target_(target)
    , clockHz_(executedOf(question.profiles)->machine().clockHz) {}

TraceLane TraceItem::empty() const {
    TraceLane lane;
    lane.name = name_;
    lane.target = target_;
    lane.key = key_;
    lane.ofSeveral = ipu().valid();
    return lane;
}

QString TraceItem::readOut(const ItemPlace& place, const ViewContext& context) const {
    const TraceBox& box = *place.box;
    // A host's wait that goes on; a run has no steps of its own either, but is shown in full.
    const bool goesOn = box.steps == 0 && box.look != TraceBox::Look::Run;
    return Text::tr("%1\n%2\nfrom cycle %3")
               .arg(titleOf(box),
                    goesOn ? Text::tr("longer than shown")
                           : context.preferences.cycles(box.cycles(), clockHz()),
                    countText(box.begin)) +
           readOutOfShares(box);
}

void TraceItem::click(const ItemPlace& place, TraceSelection& selection) const {
    const std::int64_t clicked = step(*place.box);
    if (clicked < 0)
        return selection.selectRange(
            selection.axis().placesOf({place.box->begin, place.box->end}, target()));
    selection.dropRange();
    selection.showStep(clicked, target());
}

QString TraceItem::titleOf(const TraceBox& box) {
    const QString name = shownName(box.name);
    if (name.isEmpty())
        return Text::tr("Steps: %1").arg(box.steps);
    if (box.look == TraceBox::Look::Step && box.name != toString(box.kind))
        return name + QStringLiteral("  (%1)").arg(textOf(toString(box.kind)));
    return box.steps > 1 ? name + Text::tr("  (steps: %1)").arg(box.steps) : name;
}

} // namespace tilescope::views
