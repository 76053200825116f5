// Two executions on one axis, by operation; and the steps of one loss alone.
#include <QTableView>
#include <QtTest>

#include "core/analysis/insights/loss_programs.h"
#include "tests/support/sample_pipeline.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"
#include "tests/views/trace_lanes.h"
#include "tests/views/trace_window.h"
#include "views/liveness/liveness_view.h"
#include "views/pipeline/pipeline_view.h"
#include "views/tables/loss_chip.h"

namespace aligned_trace_test {
using namespace tilescope;

class AlignedTraceTest : public test::TraceWindow {
    Q_OBJECT
    QString source_;
    QString target_;

    QComboBox& align() { return *trace_->findChild<QComboBox*>("alignExecutions"); }
    /// The first box of a name in a lane, read in full.
    static views::TraceBox first(const views::TraceQuestion& question, std::size_t ipuLane,
                                 const std::string& name) {
        const std::int64_t end = static_cast<std::int64_t>(
            question.axis.end(static_cast<double>(views::traceLength(question.profiles, {}))));
        std::size_t at = 0;
        for (const auto& lane : test::traceLanes(question, {0, end}, 1)) {
            if (lane.key.find("ipu") == std::string::npos || at++ != ipuLane)
                continue;
            for (const views::TraceRow& row : lane.rows)
                for (const views::TraceBox& box : row.boxes)
                    if (box.look == views::TraceBox::Look::Step && box.name == name)
                        return box;
        }
        return {};
    }

private slots:
    void initTestCase() {
        prepare();
        source_ = files_.write("a.pop");
        target_ = files_.write("b.pop", {.changed = true});
    }
    void init() { newWindow(); }
    void cleanup() { window_.reset(); }

    // Whoever names it: a command line, a link.
    void whatHasNoPairIsNotAligned() {
        open({source_});
        QVERIFY(!trace_->showSection("By operation"));
        QVERIFY(!trace_->controls().aligned());
        open({source_, target_});
        QVERIFY(trace_->showSection("Tiles (BSP)"));
        settle();
        QVERIFY(!trace_->showSection("By operation")); // tiles are read by cycle
        QVERIFY(trace_->showSection("Flat"));
        QVERIFY(trace_->showSection("By operation"));
        settle();
        QVERIFY(trace_->controls().aligned());
        open({source_});
        QVERIFY(!trace_->showSection("By operation"));
        settle();
    }

    void equalOperationsBeginTogether() {
        views::TraceQuestion question{
            ProfilePair(test::openSample(source_), test::openSample(target_)),
            views::TraceLook::Flat,
            {}};
        const views::TraceBox before = first(question, 0, "Convolve");
        question.axis = views::TraceAxis(alignCycles(question.profiles));
        const views::TraceBox source = first(question, 0, "Convolve");
        const views::TraceBox target = first(question, 1, "Convolve");
        QVERIFY(before.cycles() > 0);
        QCOMPARE(source.cycles(), before.cycles()); // one scale
        QCOMPARE(source.begin, target.begin);
    }

    void theSwitchMovesEverything() {
        open({source_, target_});
        QVERIFY(align().isVisibleTo(trace_));
        const double byTime = zoom().last();
        const ProfilePair pair{test::openSample(source_), test::openSample(target_)};
        const CycleAlignment aligned = alignCycles(pair);
        align().setCurrentIndex(1);
        settle();
        QCOMPARE(zoom().last(), static_cast<double>(aligned.length()));
        QVERIFY(zoom().last() >= byTime && !zoom().isOwn());
        QVERIFY(trace_->axis() == nullptr); // no link has places of this axis
        // A step of the target is marked at its place.
        const std::int64_t step = pair.target->trace({})->stepCount() / 2;
        const_cast<views::TraceSelection&>(trace_->selection()).readStep(step, true);
        settle();
        const StepOnIpu on = pair.target->trace({})->stepAt(step).ipus.front();
        QCOMPARE(trace_->selection().marked()->begin, aligned.placeOf(on.start, true));
        // So do clicks, and keys that go from step to step.
        key(Qt::Key_Period);
        const std::int64_t next = trace_->selection().step();
        QVERIFY(next > step && trace_->selection().inTarget());
        QVERIFY(!trace_->grab().isNull());
        // Both curves of a track are over the same axis.
        for (views::TrackPlot* track : trace_->tracks().plots())
            for (const views::TrackSide& side : track->curve().sides())
                if (side.overview)
                    QCOMPARE(side.overview->columns.range().end, aligned.length());
        align().setCurrentIndex(0);
        settle();
        QCOMPARE(zoom().last(), byTime);
        QCOMPARE(trace_->selection().marked()->begin,
                 pair.target->trace({})->stepAt(next).ipus.front().start);
        // Tiles are read by cycle.
        align().setCurrentIndex(1);
        settle();
        trace_->setLook(views::TraceLook::Tiles);
        settle();
        QVERIFY(zoom().isOwn() && !align().isEnabled());
    }

    void oneExecutionIsNotAligned() {
        open({source_});
        QVERIFY(!align().isVisibleTo(trace_));
    }

    void aLossShowsItsStepsAlone() {
        const auto profile = test::openSample(source_);
        const LossPrograms exchange = programsOf(LossKind::Exchange, *profile);
        const auto programs = profile->programs();
        for (std::size_t i = 0; i < programs->size(); ++i)
            QCOMPARE(exchange.counts(ProgramId(i)),
                     (*programs)[ProgramId(i)].kind == ProgramKind::DoExchange);
        QVERIFY(!exchange.counts(ProgramId()));
        QVERIFY(programsOf(LossKind::Sync, *profile).counts(ProgramId()));

        views::TraceQuestion question{ProfilePair(profile), views::TraceLook::Flat, {}};
        question.loss = LossKind::Exchange;
        const std::int64_t end = profile->trace({})->totalCycles();
        for (const std::int64_t minimum : {std::int64_t{1}, end / 20})
            for (const auto& lane : test::traceLanes(question, {0, end}, minimum))
                for (const views::TraceRow& row : lane.rows)
                    for (const views::TraceBox& box : row.boxes)
                        if (box.look == views::TraceBox::Look::Step && box.steps == 1)
                            QCOMPARE(box.counted > 0.5F, box.kind == ProgramKind::DoExchange);
    }

    void aChipSaysSoAndClearsIt() {
        open({source_, target_});
        auto& chip = *trace_->findChild<views::LossChip*>();
        QVERIFY(!chip.isVisibleTo(trace_));
        views::TablePanel& table = trace_->findChild<views::RangePanel*>()->table();
        trace_->tabs().setCurrentIndex(1);
        settle();
        const int all = table.model().rowCount();
        window_->context().lossFilter.set(LossKind::Exchange);
        settle();
        QVERIFY(chip.isVisibleTo(trace_) && chip.text().contains("Exchange"));
        QVERIFY(table.model().rowCount() > 0 && table.model().rowCount() < all);
        auto& liveness = static_cast<views::LivenessView&>(window_->view(gui::Report::Liveness));
        window_->showReport(gui::Report::Liveness);
        settle();
        QVERIFY(liveness.findChild<views::LossChip*>()->isVisibleTo(&liveness));
        window_->showReport(gui::Report::Trace);
        QTest::mouseClick(&chip, Qt::LeftButton);
        settle();
        QVERIFY(!chip.isVisibleTo(trace_) && !window_->context().lossFilter.kind());
        QCOMPARE(table.model().rowCount(), all);
        // It belongs to a comparison.
        window_->context().lossFilter.set(LossKind::Exchange);
        open({source_});
        QVERIFY(!window_->context().lossFilter.kind());
    }

    void slotsOfTwoPipelinesBeginTogether() {
        PipelineReport report = pipelineReport(
            ProfileView(std::make_shared<const Profile>(test::samplePipeline())), {});
        const views::SlotLayout source = views::slotLayout(report, views::SlotWidths::Cycles);
        report.slotTimes.at(1).cycles += 1000;
        const views::SlotLayout target = views::slotLayout(report, views::SlotWidths::Cycles);
        const views::SlotLayout both[]{views::besideOf(source, target),
                                       views::besideOf(target, source)};
        QCOMPARE(both[0].width, target.width);
        QCOMPARE(both[0].columns.size(), both[1].columns.size());
        for (std::size_t i = 0; i < source.columns.size(); ++i)
            QCOMPARE(both[0].columns[i].from, both[1].columns[i].from);
        for (std::size_t i = 0; i < source.pieces.size(); ++i) // none is stretched
            QCOMPARE(both[0].pieces[i].to - both[0].pieces[i].from,
                     source.pieces[i].to - source.pieces[i].from);
        QCOMPARE(both[0].groups.back().to, both[0].columns.back().to);
    }
};

TILESCOPE_TEST(AlignedTraceTest, QApplication)

} // namespace aligned_trace_test

#include "aligned_trace_test.moc"
