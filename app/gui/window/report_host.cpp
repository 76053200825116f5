#include "app/gui/window/report_host.h"

#include <QAbstractButton>
#include <QStackedWidget>

#include "app/gui/window/choice_manners.h"
#include "app/gui/window/content_focus.h"
#include "app/gui/window/header_strip.h"
#include "app/gui/window/side_menu.h"
#include "app/gui/window/standard_actions.h"
#include "views/session/profile_texts.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {

ReportHost::ReportHost(QMainWindow& window, views::ViewContext& context)
    : window_(window)
    , context_(context)
    , sideMenu_(new SideMenu(context))
    , stack_(new QStackedWidget)
    , hostOnly_(new views::LoadingPanel(context.workers)) {
    hostOnly_->showMessage(
        tr("This profile has no machine"),
        tr("It was made of traces of programs on a host: the execution trace has their threads, "
           "calls and graphs. Drop the traces on the profile of a run to see them beside its "
           "IPUs."));
    stack_->addWidget(hostOnly_);
    auto* page = new QHBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    page->addWidget(sideMenu_);
    auto* header = new HeaderStrip(context);
    auto* right = new QWidget;
    views::inColumn(right, {header, stack_});
    page->addWidget(right, 1);
    new StandardActions(*stack_, context);
    new ChoiceManners(*stack_);
    connect(sideMenu_, &SideMenu::chosen, this, [this](Report report) {
        show(report);
        // The focus stays on a menu entry that was activated from the keyboard.
        const auto* entry = qobject_cast<QAbstractButton*>(window_.focusWidget());
        if (entry == nullptr || !entry->isChecked() || !sideMenu_->isAncestorOf(entry))
            takeFocus();
    });
    connect(header, &HeaderStrip::compareWanted, this, [this] { goTo(Report::Compare); });
    connect(&context.history, &views::History::pageWanted, this,
            [this](int report) { goTo(static_cast<Report>(report)); });
}

void ReportHost::show(Report report) {
    current_ = report;
    context_.history.setPage(static_cast<int>(report));
    sideMenu_->setCurrent(report);
    emit status({});
    if (context_.reports.source())
        stack_->setCurrentWidget(saysNothing(report) ? static_cast<QWidget*>(hostOnly_)
                                                     : &view(report));
    emit shown();
}

bool ReportHost::saysNothing(Report report) const {
    if (report == Report::Summary || report == Report::Trace || report == Report::Query)
        return false;
    const ProfilePair& open = context_.reports.profiles();
    return views::knowsNoMachine(open.source->info()) &&
           (!open.target || views::knowsNoMachine(open.target->info()));
}

void ReportHost::goTo(Report report) {
    show(report);
    takeFocus();
}

void ReportHost::takeFocus() {
    ContentFocus::of(window_).want(*stack_);
}

// The trace follows selected programs; the longest program of an operation has to be looked up.
void ReportHost::goToSelected() {
    const views::Selected& selected = context_.selection.current();
    if (current_ == Report::Trace && selected.operation.valid() && !selected.program.valid())
        view(Report::Trace).goToOperation(selected.operation, false);
}

// Sections without a view of their own are tabs of Memory.
void ReportHost::showSection(const QString& name) {
    QString section = name.section(QLatin1Char(':'), 1);
    const auto named = std::find_if(reports.begin(), reports.end(), [&](Report report) {
        return reportName(report) == name.section(QLatin1Char(':'), 0, 0);
    });
    if (named == reports.end())
        section = name;
    const Report report = named == reports.end() ? Report::Memory : *named;
    show(report);
    if (!section.isEmpty())
        view(report).showSection(section);
    ContentFocus::of(window_).want(ContentFocus::partOf(view(report), section));
}

views::ReportView& ReportHost::view(Report report) {
    views::ReportView*& view = views_[static_cast<std::size_t>(report)];
    if (view == nullptr) {
        view = makeReport(report, context_);
        view->setAccessibleName(reportTitle(report));
        stack_->addWidget(view);
        connect(view, &views::ReportView::status, this, &ReportHost::status);
        connect(view, &views::ReportView::reportWanted, this, &ReportHost::showSection);
        connect(view, &views::ReportView::traceWanted, this,
                [this](OperationId operation, bool target) {
                    show(Report::Trace);
                    this->view(Report::Trace).goToOperation(operation, target);
                    takeFocus();
                });
        emit viewMade(report);
    }
    return *view;
}

views::ReportView* ReportHost::inFront() const {
    views::ReportView* const view = made(current_);
    return view != nullptr && view->isVisible() ? view : nullptr;
}

} // namespace tilescope::gui
