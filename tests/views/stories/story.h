// The whole window as users see it: widgets found by their texts, used with mouse, wheel and keys.
#pragma once

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QtTest>

#include "app/gui/run/run_dialog.h"
#include "app/gui/window/side_menu.h"
#include "tests/support/test_main.h"
#include "tests/views/shown_window.h"
#include "views/plot/plot_widget.h"
#include "views/widgets/report_view.h"

namespace tilescope::test {

/// A window of 1280 x 720 with the program `tilescope` that was built with it. Runs are written
/// below a folder that is deleted with the object; a widget that is not found fails the test.
class Story {
public:
    Story() {
        prepareWindows();
        qputenv("PATH", programFolder().toUtf8() + ':' + qgetenv("PATH"));
        window_ = shownWindow({1280, 720});
        [&] { QVERIFY(QTest::qWaitForWindowActive(window_.get())); }();
    }

    [[nodiscard]] gui::MainWindow& window() { return *window_; }
    template <class View> View& view(gui::Report report) {
        return static_cast<View&>(window_->view(report));
    }
    static QString job(const QString& name) {
        return QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/jobs/") + name;
    }

    void waitUntilIdle() { test::waitUntilIdle(*window_); }
    /// A click in the side menu.
    void openReport(gui::Report report) {
        press(*find<QToolButton>(*window_->findChild<gui::SideMenu*>(), gui::reportTitle(report)));
        waitUntilIdle();
        [&] { QVERIFY(window_->view(report).isVisible()); }();
    }

    /// The visible widget with this text on it, as soon as it appears.
    template <class Widget> static Widget* find(QWidget& within, const QString& text) {
        Widget* found =
            awaited<Widget>(within, [&](const Widget& each) { return each.text() == text; });
        if (found == nullptr)
            qFatal("'%s' is not to be seen among:\n%s", qPrintable(text),
                   qPrintable(textsOf(within).join('\n')));
        return found;
    }
    /// The visible widget with this name for screen readers.
    template <class Widget> static Widget* named(QWidget& within, const QString& name) {
        Widget* found = awaited<Widget>(
            within, [&](const Widget& each) { return each.accessibleName() == name; });
        if (found == nullptr)
            qFatal("nothing is called '%s'", qPrintable(name));
        return found;
    }
    /// A click with the mouse, after the wheel has brought the widget into view.
    static void press(QWidget& widget) {
        scrollTo(widget);
        [&] { QVERIFY(widget.isEnabled()); }();
        QTest::mouseClick(&widget, Qt::LeftButton);
    }
    /// All that can be read below a widget: labels and buttons, without the places at which long
    /// names may break.
    static QStringList textsOf(const QWidget& widget) {
        QStringList texts;
        const auto add = [&](const QWidget& of, const QString& text) {
            const QString plain = Qt::mightBeRichText(text)
                                      ? QTextDocumentFragment::fromHtml(text).toPlainText()
                                      : text;
            if (of.isVisible() && !plain.isEmpty())
                texts << QString(plain).remove(QChar(0x200b)).remove(QChar(0x2060));
        };
        for (const QLabel* label : widget.findChildren<QLabel*>())
            add(*label, label->text());
        for (const QAbstractButton* button : widget.findChildren<QAbstractButton*>())
            add(*button, button->text());
        return texts;
    }
    static void verifyReads(const QWidget& widget, const QString& text) {
        QTRY_VERIFY2_WITH_TIMEOUT(textsOf(widget).join('\n').contains(text),
                                  qPrintable(QStringLiteral("'%1' is not to be read in:\n%2")
                                                 .arg(text, textsOf(widget).join('\n'))),
                                  patienceMs);
    }
    /// The panel around the label that contains a text, such as the card of an insight.
    static QWidget& cardWith(QWidget& within, const QString& text) {
        QWidget* each = awaited<QLabel>(
            within, [&](const QLabel& label) { return label.text().contains(text); });
        while (each != nullptr && each->objectName() != QLatin1String("panel"))
            each = each->parentWidget();
        if (each == nullptr)
            qFatal("no card says '%s', but:\n%s", qPrintable(text),
                   qPrintable(textsOf(within).join('\n')));
        return *each;
    }

    /// The text about two profiles in the line above the reports.
    static QString differences(const QWidget& window) {
        const QString before = QStringLiteral("What differs: ");
        for (const QPushButton* button : window.findChildren<QPushButton*>())
            if (button->isVisible() && button->accessibleName().startsWith(before))
                return button->accessibleName().mid(before.size());
        return {};
    }
    /// The row of a table whose cell contains a text; -1 if none does.
    static int rowWith(const QTableView& table, const QString& text, int column = 0) {
        for (int row = 0; row < table.model()->rowCount(); ++row)
            if (cell(table, row, column).contains(text))
                return row;
        return -1;
    }
    static QString cell(const QTableView& table, int row, int column) {
        return table.model()->index(row, column).data().toString();
    }
    static void clickRow(QTableView& table, int row) {
        QVERIFY(row >= 0);
        const QModelIndex index = table.model()->index(row, 0);
        table.scrollTo(index);
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(index).center());
    }

    /// One notch of the wheel is 120.
    static void wheel(QWidget& widget, QPointF at, int delta) {
        QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, {},
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&widget, &event);
    }

    /// The dialog of a run, which has to be open.
    [[nodiscard]] gui::RunDialog& dialog() {
        auto* dialog = window_->findChild<gui::RunDialog*>();
        if (dialog == nullptr || !dialog->isVisible())
            qFatal("the dialog of a run is not open");
        return *dialog;
    }
    /// Runs the dialog's command into a folder of this name and waits for the result: an open
    /// profile or, if the dialog compares, two.
    void run(const QString& name) {
        gui::RunDialog& dialog = this->dialog();
        type(*named<QLineEdit>(dialog, QStringLiteral("Output folder")), folder_.filePath(name));
        QSignalSpy changed(&window_->context().reports, &views::ReportPair::changed);
        press(*find<QPushButton>(dialog, QStringLiteral("Run")));
        QTRY_VERIFY2_WITH_TIMEOUT(!dialog.isVisible(), qPrintable(textsOf(dialog).join('\n')),
                                  longestRunMs);
        QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 1, patienceMs);
        waitUntilIdle();
    }
    /// A picture of the window for the manual, in the folder that TILESCOPE_PICTURES names; without
    /// it nothing. So a picture shows what the story has just checked.
    void picture(const QString& name) {
        const QString folder = qEnvironmentVariable("TILESCOPE_PICTURES");
        if (folder.isEmpty())
            return;
        waitUntilIdle();
        window_->grab(); // layouts of what has just arrived, then plots at their final size
        for (views::PlotWidget* plot : window_->findChildren<views::PlotWidget*>())
            if (plot->isVisible())
                plot->replot(QCustomPlot::rpImmediateRefresh);
        waitUntilIdle();
        QVERIFY(window_->grab().save(QDir(folder).filePath(name + QStringLiteral(".png"))));
    }
    static void type(QLineEdit& field, const QString& text) {
        field.setFocus();
        field.selectAll();
        QTest::keyClicks(&field, text);
    }

private:
    static constexpr int longestRunMs = 120000;
    static constexpr int patienceMs = 20000; // of a user on a busy machine

    // Waits for the requested widget to be visible; null if it does not appear.
    template <class Widget, class Is> static Widget* awaited(QWidget& within, const Is& is) {
        Widget* found = nullptr;
        const bool came = QTest::qWaitFor(
            [&] {
                for (Widget* each : within.findChildren<Widget*>())
                    if (each->isVisible() && is(*each)) {
                        found = each;
                        return true;
                    }
                return false;
            },
            patienceMs);
        return came ? found : nullptr;
    }

    static void scrollTo(QWidget& widget) {
        constexpr int mostNotches = 200;
        const auto visible = [&widget] {
            return widget.visibleRegion().contains(widget.rect().center());
        };
        for (QWidget* each = widget.parentWidget(); each != nullptr; each = each->parentWidget()) {
            auto* area = qobject_cast<QScrollArea*>(each);
            for (const int delta : {-120, 120})
                for (int i = 0; area != nullptr && !visible() && i < mostNotches; ++i)
                    wheel(*area->viewport(), area->viewport()->rect().center(), delta);
        }
        QVERIFY2(visible(), qPrintable(widget.accessibleName()));
    }

    QTemporaryDir folder_;
    std::unique_ptr<gui::MainWindow> window_;
};

} // namespace tilescope::test
