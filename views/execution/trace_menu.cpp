// What is under the pointer in an execution, for its context menu.
#include "views/execution/trace_view.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

Pointed pointedStep(const ProfileView& profile, std::int64_t step, bool target,
                    const std::stop_token& stop) {
    Pointed pointed;
    const ExecutedStep executed = profile.trace(stop)->stepAt(step);
    if (!executed.program.valid())
        return pointed;
    const auto programs = profile.programs(stop);
    const Program& program = (*programs)[executed.program];
    pointed.name = QString::fromStdString(program.name);
    if (target) // the selection has things of the source
        return pointed;
    pointed.thing.program = executed.program;
    pointed.thing.operation = program.operation;
    pointed.thing.computeSet = program.computeSet;
    pointed.thing.exchange = program.exchange;
    return pointed;
}

} // namespace

void TraceView::joinMenus() {
    setPointAt(plot(), [this](const std::optional<QPoint>& position, const ShowMenu& show) {
        pointAt(position, show);
    });
}

// A step is read first: the boxes know its number only.
void TraceView::pointAt(const std::optional<QPoint>& position, const ShowMenu& show) {
    std::int64_t step = selected_.step;
    bool target = selected_.inTarget;
    if (position) {
        const TracePlottable::Hit hit = plot().trace().hit(
            plot().xAxis->pixelToCoord(position->x()), plot().yAxis->pixelToCoord(position->y()));
        const bool single = hit.box != nullptr && hit.box->look == TraceBox::Look::Step &&
                            hit.box->steps == 1 && (*plot().trace().overview())[hit.lane].ofSeveral;
        step = single ? hit.box->firstStep : -1;
        target = single && (*plot().trace().overview())[hit.lane].target;
    }
    if (step < 0 || !canShow() || !profileOf(target))
        return show(pointedBox(position));
    menuQuery_.start([this, profile = profileOf(target), step, target,
                      show](const std::stop_token& stop) -> BackgroundQuery::Deliver {
        return [this, show, pointed = pointedStep(*profile, step, target, stop)]() mutable {
            if (!pointed.name.isEmpty())
                pointed.filter = [this, name = pointed.name] { search().setText(name); };
            show(pointed);
        };
    });
}

// A box of many steps cannot be selected as a thing, but has a name.
Pointed TraceView::pointedBox(const std::optional<QPoint>& position) {
    Pointed pointed;
    const TracePlottable::Hit hit =
        position ? plot().trace().hit(plot().xAxis->pixelToCoord(position->x()),
                                      plot().yAxis->pixelToCoord(position->y()))
                 : TracePlottable::Hit{};
    if (hit.box == nullptr || hit.box->name.empty())
        return pointed;
    pointed.name = QString::fromStdString(hit.box->name);
    pointed.filter = [this, name = pointed.name] { search().setText(name); };
    return pointed;
}

} // namespace tilescope::views
