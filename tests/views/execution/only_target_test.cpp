// The execution trace of two profiles of which only the target was executed.
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/trace_window.h"
#include "views/execution/range_panel.h"
#include "views/tables/table_panel.h"
#include "views/widgets/loading_panel.h"

namespace only_target_test {
using namespace tilescope;
using views::TraceLook;

class OnlyTargetTest : public test::TraceWindow {
    Q_OBJECT
private slots:
    void initTestCase() { prepare(); }
    void init() { newWindow(); }
    void cleanup() { window_.reset(); }

    // A source that does not fit beside a target that does: the target's execution is shown, as
    // the target's.
    void theTargetAloneIsShown() {
        open({files_.write("large.pop", {.tooLarge = true}), files_.write("b.pop", {.ipus = 2})});
        auto& panel = test::child<views::LoadingPanel>(*trace_);
        QVERIFY2(!panel.showsMessage(), qPrintable(test::messageText(panel)));
        bool said = false;
        for (const QLabel* label : trace_->findChildren<QLabel*>())
            said = said || (label->isVisible() && label->text().contains("does not fit"));
        QVERIFY(said);
        const auto lanes = trace_->plot().trace().overview();
        QVERIFY(lanes && !lanes->empty());
        for (const views::TraceLane& lane : *lanes)
            QVERIFY(lane.target);
        const ProfileViewPtr target = window_->context().reports.target();
        QCOMPARE(zoom().last(), static_cast<double>(target->trace({})->totalCycles()));

        // Searches, steps and questions use the target's ids; the selection has the source's.
        trace_->search().setText("ExchangePre");
        settle();
        QTest::keyClick(&trace_->search().field(), Qt::Key_Return);
        settle();
        const std::int64_t found = trace_->selection().step();
        QVERIFY(found >= 0);
        const auto program = target->trace({})->stepAt(found).program;
        QVERIFY((*target->programs({}))[program].name.find("ExchangePre") != std::string::npos);
        QTest::keyClick(&trace_->plot(), Qt::Key_Period);
        settle();
        QCOMPARE(trace_->selection().step(), found + 1);
        QVERIFY(window_->context().selection.current() == views::Selected{});
        // Nor do selections of other reports move anything here.
        window_->context().selection.update([](views::Selected& s) { s.program = ProgramId(1); });
        settle();
        QVERIFY(!panel.showsMessage());

        auto& table = trace_->tabs().inRange().findChild<views::TablePanel*>()->view();
        trace_->findChild<QTabWidget*>()->setCurrentWidget(&trace_->tabs().inRange());
        settle();
        QVERIFY(table.model()->rowCount() > 1);
        const views::Selected before = window_->context().selection.current();
        table.selectRow(1);
        settle();
        QVERIFY(window_->context().selection.current() == before);
        trace_->setLook(TraceLook::Tiles);
        settle();
        QCOMPARE(trace_->tiles().plot().lanes().size(), std::size_t(2));
    }
};

TILESCOPE_TEST(OnlyTargetTest, QApplication)

} // namespace only_target_test

#include "only_target_test.moc"
