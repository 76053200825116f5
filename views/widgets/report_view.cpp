#include "views/widgets/report_view.h"

namespace tilescope::views {

ReportView::ReportView(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context) {
    connect(&context_.reports, &ReportPair::changed, this, [this] {
        stale_ = true;
        reloadIfSeen();
    });
}

void ReportView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    reloadIfSeen();
}

void ReportView::reloadIfSeen() {
    if (!stale_ || !isVisible() || !profiles().source)
        return;
    stale_ = false;
    reload();
}

} // namespace tilescope::views
