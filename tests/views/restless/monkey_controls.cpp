#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QSplitter>
#include <QTabBar>
#include <QtTest>

#include "tests/views/restless/monkey.h"
#include "views/execution/track_dialog.h"
#include "views/execution/tracks_pane.h"
#include "views/widgets/report_view.h"

namespace tilescope::test {
namespace {

struct Face {
    gui::Report report;
    const char* section;
};

// Parts of reports that few clicks find.
constexpr Face faces[] = {{gui::Report::Operations, "Source"},
                          {gui::Report::Operations, "Source"},
                          {gui::Report::Operations, "Graph"},
                          {gui::Report::Operations, "Roofline"},
                          {gui::Report::Operations, "Flame graph"},
                          {gui::Report::Operations, "Table"},
                          {gui::Report::Trace, "By operation"},
                          {gui::Report::Trace, "By time"},
                          {gui::Report::Trace, "Flat"},
                          {gui::Report::Trace, "Flame"},
                          {gui::Report::Trace, "Tiles (BSP)"},
                          {gui::Report::Trace, "Compilation"},
                          {gui::Report::Trace, "Executions"},
                          {gui::Report::Trace, "Micro-batch"},
                          {gui::Report::Trace, "Change"},
                          {gui::Report::Memory, "Film"},
                          {gui::Report::Memory, "Tile map"},
                          {gui::Report::Memory, "Addresses over time"},
                          {gui::Report::Liveness, "Variable"},
                          {gui::Report::Pipeline, "Micro-batch"}};

} // namespace

void Monkey::chooseRow() {
    QWidget& top = front();
    const auto views = seen<QAbstractItemView>(top);
    if (views.empty())
        return;
    QAbstractItemView& view = *oneOf(views);
    if (view.model() == nullptr || view.model()->rowCount() == 0)
        return;
    const QModelIndex index = view.model()->index(random(std::min(40, view.model()->rowCount())),
                                                  random(std::max(1, view.model()->columnCount())));
    say(nameOf(&view));
    view.scrollTo(index);
    const QRect place = view.visualRect(index);
    const QPoint at = view.viewport()->mapTo(&top, place.center());
    if (place.isValid() && top.rect().contains(at))
        press(top, Qt::LeftButton, at);
}

void Monkey::useChoice() {
    QWidget& top = front();
    const auto boxes = seen<QComboBox>(top);
    if (boxes.empty())
        return;
    const QPointer<QComboBox> box = oneOf(boxes);
    if (!box->isEnabled() || box->count() == 0)
        return;
    say(nameOf(box));
    press(top, Qt::LeftButton, box->mapTo(&top, box->rect().center()));
    QWidget* const list = QApplication::activePopupWidget();
    if (!box || list == nullptr)
        return;
    for (int steps = random(box->count()); steps > 0 && list == QApplication::activePopupWidget();
         --steps)
        key(random(2) == 0 ? Qt::Key_Down : Qt::Key_Up);
    key(random(5) == 0 ? Qt::Key_Escape : Qt::Key_Return);
}

void Monkey::pressButton() {
    QWidget& top = front();
    const auto buttons = seen<QAbstractButton>(top);
    const auto bars = seen<QTabBar>(top);
    const int at = random(static_cast<int>(buttons.size() + bars.size()) + 1);
    if (at < static_cast<int>(bars.size())) {
        const QTabBar& bar = *bars[static_cast<std::size_t>(at)];
        if (bar.count() == 0)
            return;
        say(nameOf(&bar));
        return press(top, Qt::LeftButton,
                     bar.mapTo(&top, bar.tabRect(random(bar.count())).center()));
    }
    if (buttons.empty())
        return;
    const QAbstractButton& button = *oneOf(buttons);
    say(nameOf(&button) + ' ' + button.text());
    const QPoint middle = button.mapTo(&top, button.rect().center());
    if (top.rect().contains(middle))
        press(top, Qt::LeftButton, middle);
}

void Monkey::dragHandle() {
    QWidget& top = front();
    const auto handles = seen<QSplitterHandle>(top);
    if (handles.empty())
        return;
    const QWidget& handle = *oneOf(handles);
    const QPoint from = handle.mapTo(&top, handle.rect().center());
    say(nameOf(handle.parentWidget()));
    dragBetween(top, from, from + QPoint(random(600) - 300, random(600) - 300));
}

void Monkey::goToFace() {
    gui::MainWindow& of = window();
    if (QApplication::activeModalWidget() != nullptr || !of.context().reports.source())
        return;
    const Face& face = oneOf(faces);
    say(QLatin1String(face.section));
    of.showReport(face.report);
    views::ReportView& view = of.view(face.report);
    view.showSection(QLatin1String(face.section));
    constexpr int seldom = 12;
    auto* const tracks = view.findChild<views::TracksPane*>();
    if (face.report != gui::Report::Trace || tracks == nullptr || random(seldom) != 0)
        return;
    emit tracks->queryWanted();
    if (auto* dialog = view.findChild<views::TrackDialog*>(); dialog != nullptr && random(2) == 0)
        dialog->accept();
}

void Monkey::changeLook() {
    views::Preferences& wanted = window().context().preferences;
    switch (random(4)) {
    case 0:
        return wanted.setTheme(static_cast<views::ThemeChoice>(random(3)));
    case 1:
        return wanted.setDataColours(static_cast<views::DataColours>(random(3)));
    case 2:
        return wanted.setByteUnits(static_cast<ByteUnits>(random(2)));
    default:
        return wanted.setClockUnits(static_cast<ClockUnits>(random(2)));
    }
}

} // namespace tilescope::test
