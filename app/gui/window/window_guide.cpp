#include "app/gui/window/window_guide.h"

#include <QComboBox>
#include <QLineEdit>
#include <QScrollArea>
#include <algorithm>

#include "app/gui/window/content_focus.h"
#include "app/gui/window/main_window.h"
#include "views/summary/summary_view.h"
#include "views/tables/table_panel.h"
#include "views/widgets/fact_card.h"
#include "views/widgets/thing_places.h"

namespace tilescope::gui {
namespace {

QComboBox* choiceOfIpu(const QWidget& report) {
    for (QComboBox* box : report.findChildren<QComboBox*>())
        if (box->isVisible() && box->accessibleName() == views::ReportView::tr("IPU"))
            return box;
    return nullptr;
}

void bringIntoSight(QWidget& widget) {
    for (QWidget* at = widget.parentWidget(); at != nullptr; at = at->parentWidget())
        if (auto* area = qobject_cast<QScrollArea*>(at))
            area->ensureWidgetVisible(&widget);
}

} // namespace

void WindowGuide::show(const views::Selected& thing) {
    const ProfileViewPtr& profile = window_.context().reports.source();
    if (!profile)
        return;
    const std::vector<std::string_view> places = placesOf(thing, profile->info());
    if (places.empty())
        return;
    const std::string front = reportName(window_.currentReport()).toStdString();
    const bool here = std::find(places.begin(), places.end(), front) != places.end();
    views::showThing(window_.view(window_.currentReport()), window_.context(), thing,
                     here ? front : places.front());
}

void WindowGuide::showIpu(IpuId ipu) {
    if (!window_.context().reports.source())
        return;
    if (choiceOfIpu(window_.view(window_.currentReport())) == nullptr)
        window_.showReport(Report::Memory);
    QComboBox* const box = choiceOfIpu(window_.view(window_.currentReport()));
    const int item = box == nullptr ? -1 : box->findText(QString::number(ipu.value()));
    if (item < 0)
        return;
    box->setCurrentIndex(item);
    emit box->activated(item);
    focusContent({});
}

void WindowGuide::showOption(const QString& key) {
    const ProfileViewPtr& profile = window_.context().reports.source();
    if (!profile)
        return;
    const std::string name = key.toStdString();
    if (!profile->info().options.contains(name) && !profile->info().engineOptions.contains(name)) {
        window_.dialogs().openRun(runAgain(*profile, name));
        return;
    }
    window_.showReport(Report::Summary);
    auto& summary = static_cast<views::SummaryView&>(window_.view(Report::Summary));
    if (views::Card* card = summary.block(QStringLiteral("options")))
        card->setCollapsed(false);
    summary.options().filter().setText(key);
    bringIntoSight(summary.options());
    ContentFocus::of(window_).want(summary.options());
}

void WindowGuide::focusContent(const QString& section) {
    if (window_.context().reports.source())
        ContentFocus::of(window_).want(
            ContentFocus::partOf(window_.view(window_.currentReport()), section));
}

void WindowGuide::showHelp(const QString& page, const QString& heading) {
    window_.dialogs().showHelp(page, heading);
}

} // namespace tilescope::gui
