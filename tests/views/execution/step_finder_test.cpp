// Finding steps of an execution by their names.
#include <QLineEdit>
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/trace_window.h"

namespace step_finder_test {
using namespace tilescope;

class StepFinderTest : public test::TraceWindow {
    Q_OBJECT

private slots:
    void initTestCase() { prepare(); }
    void init() { newWindow(); }

    void searchGoesOnFromWhereOneLooks() {
        open({files_.write("a.pop")});
        const auto index = window_->context().reports.source()->trace({});
        std::vector<std::int64_t> matches;
        for (std::int64_t step = 0; step < index->stepCount(); ++step)
            if (index->stepAt(step).kind == ProgramKind::OnTileExecute)
                matches.push_back(step);
        QVERIFY(matches.size() > 4);
        const auto start = [&](std::size_t match) {
            return static_cast<double>(index->stepAt(matches[match]).ipus.front().start);
        };
        const auto press = [&](Qt::KeyboardModifiers modifiers = {}) {
            QTest::keyClick(&trace_->search().field(), Qt::Key_Return, modifiers);
            settle();
        };
        const auto look = [&](double from, double to) {
            zoom().setRange(from, to);
            settle();
        };
        const auto programs = window_->context().reports.source()->programs({});
        const auto name = [&](std::size_t match) {
            return (*programs)[index->stepAt(matches[match]).program].name;
        };
        // One that is executed several times.
        trace_->search().setText(QString::fromStdString(name(2)));
        settle();
        look(start(2) - 1, start(3));
        press();
        QCOMPARE(trace_->selection().step(), matches[2]); // what is in sight, not the first
        look(start(3) + 1, start(3) + 1000);
        press();
        QVERIFY(trace_->selection().step() > matches[3] ||
                trace_->selection().step() <= matches[2]);
        look(start(2) - 1, start(3));
        press();
        QCOMPARE(trace_->selection().step(), matches[2]);
    }
};

TILESCOPE_TEST(StepFinderTest, QApplication)

} // namespace step_finder_test

#include "step_finder_test.moc"
