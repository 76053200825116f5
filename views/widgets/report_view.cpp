#include "views/widgets/report_view.h"

namespace tilescope::views {

ReportView::ReportView(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context) {
    connect(&context_.reports, &ReportPair::changed, this, &ReportView::reloadIfSeen);
    const auto looksDifferent = [this] {
        styleStale_ = true;
        restyleIfSeen();
    };
    connect(&context_.theme, &ThemeSource::changed, this, looksDifferent);
    connect(&context_.preferences, &Preferences::unitsChanged, this, looksDifferent);
    connect(&context_.selection, &Selection::changed, this, [this] {
        if (!stale() && isVisible())
            followSelection();
    });
}

void ReportView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    const bool wasStale = stale();
    reloadIfSeen();
    restyleIfSeen();
    if (!wasStale)
        followSelection();
}

void ReportView::restyleIfSeen() {
    if (!styleStale_ || !isVisible())
        return;
    styleStale_ = false;
    // reload() uses the new style anyway.
    if (!stale())
        restyle();
}

void ReportView::reloadIfSeen() {
    if (!stale() || !isVisible() || !context_.reports.source())
        return;
    profiles_ = context_.reports.profiles();
    read_ = context_.reports.changes();
    reload();
}

} // namespace tilescope::views
