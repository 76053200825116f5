// What gives way in a narrow or low window: words before numbers, columns before names.
#include <QClipboard>
#include <QHeaderView>
#include <QScrollArea>
#include <QScrollBar>
#include <QTextLayout>
#include <QTreeView>
#include <QtTest>

#include "app/gui/window/header_strip.h"
#include "app/gui/window/side_menu.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/execution/trace_tabs.h"
#include "views/programs/programs_view.h"
#include "views/values/values_view.h"
#include "views/widgets/short_label.h"
#include "views/widgets/wrapped_label.h"

namespace narrow_window_test {
using namespace tilescope;
using namespace tilescope::gui;
using views::WrappedLabel;

namespace {

const QString advice = QStringLiteral("A higher --available-memory-proportion (1 instead of 0.6) "
                                      "or a lower --batch-size, or both--as it is.");

/// The ends of the lines of a text at this width.
QStringList linesOf(const QString& text, int width) {
    QTextLayout layout(text, QFont());
    QStringList lines;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        lines << text.mid(line.textStart(), line.textLength());
    }
    layout.endLayout();
    return lines;
}

} // namespace

class NarrowWindowTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    QString header() {
        QStringList texts;
        for (const QLabel* label : test::child<HeaderStrip>(*window_).findChildren<QLabel*>())
            if (label->isVisible())
                texts << label->text();
        return texts.join('|');
    }
    void resize(int width, int height) {
        window_->resize(width, height);
        QCOMPARE(window_->size(), QSize(width, height));
        test::waitUntilIdle(*window_);
    }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() {
        window_ = test::shownWindow();
        QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    }
    void cleanup() { window_.reset(); }

    void namesOfOptionsStayWhole() {
        const QString marked = views::withWholeOptions(advice);
        QCOMPARE(views::withoutLineMarks(marked), advice);
        bool several = false;
        for (int width = 220; width < 900; width += 7) {
            const QStringList lines = linesOf(marked, width);
            several = several || lines.size() > 2;
            const QString shown = views::withoutLineMarks(lines.join('\n'));
            for (const char* name : {"--available-memory-proportion", "--batch-size"})
                QVERIFY2(shown.contains(name), qPrintable(shown));
        }
        QVERIFY(several);
        // As it would break otherwise.
        bool broken = false;
        for (int width = 220; width < 900; width += 7)
            broken = broken || !linesOf(advice, width).join('\n').contains("--batch-size");
        QVERIFY(broken);
    }

    void copiedOptionsAreAsTheyAreTyped() {
        WrappedLabel label(advice);
        label.setTextInteractionFlags(Qt::TextSelectableByMouse);
        label.show();
        QCOMPARE(label.text(), advice);
        label.setSelection(0, static_cast<int>(label.QLabel::text().size()));
        QTest::keyClick(&label, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), advice);
    }

    void aShortLabelSaysItsText() {
        views::ShortLabel label(QStringLiteral("a name that is longer than a hundred pixels"), 100,
                                200);
        QCOMPARE(label.sizeHint().width(), 200);
        QCOMPARE(label.minimumSizeHint().width(), 100);
        label.resize(label.QLabel::sizeHint());
        const QImage whole = label.grab().toImage();
        label.resize(100, label.height());
        QVERIFY(label.grab().toImage() != whole.copy(label.rect()));
        QVERIFY(label.text().endsWith("pixels"));
    }

    void inALowWindowLanesKeepTheRoom() {
        test::openProfiles(*window_, {files_.write("low.pop", {.ipus = 2})});
        window_->showReport(Report::Trace);
        resize(960, 540);
        auto& tabs = test::child<views::TraceTabs>(*window_);
        const int both = tabs.parentWidget()->height();
        QVERIFY2(tabs.height() * 3 <= both,
                 qPrintable(QStringLiteral("%1 of %2").arg(tabs.height()).arg(both)));
        QVERIFY(tabs.height() >= 5 * tabs.fontMetrics().height());
        // A sentence has nothing to scroll to.
        tabs.setCurrentIndex(3);
        test::waitUntilIdle(*window_);
        const auto* area = tabs.currentWidget()->findChild<QScrollArea*>();
        QVERIFY(area != nullptr && !area->verticalScrollBar()->isVisible());
    }

    void theTimeIsInTheHeader() {
        Profile p = test::sampleProfile();
        p.info.model = "bert_large_with_a_name";
        p.info.batchSize = 4;
        p.info.options = {
            {"batchSize", "4"}, {"gradientAccumulation", "12"}, {"deviceIterations", "16"}};
        p.info.hostCallSeconds = 54e-6;
        test::openProfiles(*window_, {files_.writeProfile("long.pop", p)});
        for (const int width : {1280, 960}) {
            resize(width, 600);
            QVERIFY2(header().contains(" a run") && header().contains(" samples/s"),
                     qPrintable(header()));
            QVERIFY2(header().startsWith("bert_large_with_a_name|"), qPrintable(header()));
        }
        resize(720, 520);
        QVERIFY2(header().contains(" samples/s"), qPrintable(header()));
        QVERIFY2(!header().contains("tiles"), qPrintable(header())); // the machine goes first
        resize(1920, 600);
        QVERIFY2(header().contains("1,472 tiles") && header().contains("with the host's call"),
                 qPrintable(header()));
    }

    void reportsHaveTheRoomOfTheirNames() {
        const auto& menu = test::child<SideMenu>(*window_);
        resize(1280, 720);
        QVERIFY(menu.showsNames());
        const int wide = menu.width();
        resize(960, 540);
        QVERIFY(!menu.showsNames() && !menu.collapsed());
        QVERIFY(menu.width() < wide);
        // They are shown on request.
        QTest::keyClick(window_.get(), Qt::Key_B, Qt::ControlModifier);
        QVERIFY(menu.showsNames());
        resize(1280, 720);
        QVERIFY(menu.showsNames());
        resize(960, 540);
        QVERIFY(!menu.showsNames());
    }

    void programsHaveTheirNames() {
        auto& view = test::openView<views::ProgramsView>(*window_, {files_.write("a.pop")},
                                                         Report::Programs);
        const auto hasOperations = [&] {
            return !view.tree().isColumnHidden(views::ProgramModel::OperationColumn);
        };
        constexpr int leastName = 200;
        resize(1280, 720);
        QVERIFY(hasOperations());
        QVERIFY(view.tree().columnWidth(views::ProgramModel::Label) >= leastName);
        resize(820, 520);
        QVERIFY(!hasOperations());
        QVERIFY(view.tree().columnWidth(views::ProgramModel::Label) >= leastName);
        // Of two trees, too.
        test::openView<views::ProgramsView>(
            *window_, {files_.write("a.pop"), files_.write("b.pop", {.changed = true})},
            Report::Programs);
        resize(960, 540);
        for (const QTreeView* tree : {&view.tree(), &view.targetTree()})
            QVERIFY(tree->columnWidth(views::ProgramModel::Label) >= leastName);
    }

    void aLowWindowHasCurvesRatherThanWords() {
        auto& view = test::openView<views::ValuesView>(
            *window_,
            {files_.write("a.pop", {.withValues = true}),
             files_.write("b.pop", {.changed = true, .withValues = true})},
            Report::Values);
        auto* facts = view.curves().findChild<QLabel*>("muted");
        resize(1280, 900);
        QVERIFY(facts->isVisible());
        resize(960, 540);
        QVERIFY(!facts->isVisible());
        QVERIFY(view.curves().toolTip().contains("Epoch"));
    }
};

TILESCOPE_TEST(NarrowWindowTest, QApplication)

} // namespace narrow_window_test

#include "narrow_window_test.moc"
