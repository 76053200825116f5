#include "views/widgets/report_view.h"

namespace tilescope::views {

ReportView::ReportView(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context) {
    connect(&context_.reports, &ReportPair::changed, this, [this] {
        stale_ = true;
        reloadIfSeen();
    });
    const auto looksDifferent = [this] {
        styleStale_ = true;
        restyleIfSeen();
    };
    connect(&context_.theme, &ThemeSource::changed, this, looksDifferent);
    connect(&context_.preferences, &Preferences::unitsChanged, this, looksDifferent);
    connect(&context_.selection, &Selection::changed, this, [this] {
        if (!stale_ && profiles().source && isVisible())
            followSelection();
    });
}

void ReportView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    const bool wasStale = stale_;
    reloadIfSeen();
    restyleIfSeen();
    if (!wasStale && profiles().source)
        followSelection();
}

void ReportView::restyleIfSeen() {
    if (!styleStale_ || !isVisible())
        return;
    styleStale_ = false;
    // What reload() shows it shows in the new style.
    if (!stale_ && profiles().source)
        restyle();
}

void ReportView::reloadIfSeen() {
    if (!stale_ || !isVisible() || !profiles().source)
        return;
    stale_ = false;
    reload();
}

} // namespace tilescope::views
