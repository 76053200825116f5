// Two executions over one another: IPUs in pairs, boxes coloured by their change, a step's
// counterpart.
#include <QtTest>

#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"
#include "tests/views/trace_lanes.h"
#include "tests/views/trace_window.h"

namespace paired_lanes_test {
using namespace tilescope;

class PairedLanesTest : public test::TraceWindow {
    Q_OBJECT
    QString source_;
    QString target_;

    /// Every step with a program takes twice as long.
    static Profile slower() {
        Profile profile = test::sampleProfile({.ipus = 2});
        for (TraceBody& body : profile.trace.bodies)
            for (TraceStep& step : body.steps)
                for (StepOnIpu& on : step.ipus)
                    on.cycles += step.program.valid() ? on.cycles : 0;
        return profile;
    }
    std::vector<std::string> keys() {
        std::vector<std::string> all;
        for (const views::TraceLane& lane : *trace_->plot().trace().overview())
            all.push_back(lane.key);
        return all;
    }

private slots:
    void initTestCase() {
        prepare();
        source_ = files_.write("a.pop", {.ipus = 2});
        target_ = files_.write("b.pop", {.ipus = 2, .changed = true});
    }
    void init() { newWindow(); }
    void cleanup() { window_.reset(); }

    void ipusStandInPairsBelowTheHosts() {
        open({source_, target_});
        const std::vector<std::string> all = keys();
        const std::vector<std::string> ipus(all.end() - 4, all.end());
        QCOMPARE(ipus, (std::vector<std::string>{"source ipu 0", "target ipu 0", "source ipu 1",
                                                 "target ipu 1"}));
        for (auto key = all.begin(); key != all.end() - 4; ++key)
            QVERIFY2(key->find("ipu") == std::string::npos, key->c_str());
    }

    // The colours of the profiles stand beside the names.
    void namesHaveTheColourOfTheirProfile() {
        open({source_, target_});
        const views::Theme& theme = window_->context().theme.current();
        const views::TracePlot& plot = trace_->plot();
        const QImage names =
            trace_->plot()
                .grab(QRect(0, plot.axisRect()->top(), views::PlotWidget::leftMargin - 2,
                            plot.axisRect()->height()))
                .toImage();
        int ofSource = 0;
        int ofTarget = 0;
        for (int y = 0; y < names.height(); ++y)
            for (int x = 0; x < names.width(); ++x) {
                ofSource += names.pixel(x, y) == theme.source.rgb() ? 1 : 0;
                ofTarget += names.pixel(x, y) == theme.target.rgb() ? 1 : 0;
            }
        QVERIFY(ofSource > 0 && ofTarget > 0);
    }

    // In the smallest usual window, deep as a flame graph's lanes are.
    void theFirstIpuOfBothIsInSight() {
        open({source_, target_});
        window_->resize(1280, 720);
        trace_->showSection("Flame");
        settle();
        const views::TracePlot& plot = trace_->plot();
        const auto& layout = plot.trace().layout();
        for (const std::string key : {"source ipu 0", "target ipu 0"}) {
            const auto all = keys();
            const auto lane = static_cast<std::size_t>(std::ranges::find(all, key) - all.begin());
            const views::LanePlace* place = layout.of(lane);
            QVERIFY2(place != nullptr, key.c_str());
            QVERIFY2(place->bottom() <= plot.axisRect()->height() + layout.gap, key.c_str());
        }
    }

    void boxesAreTintedByTheirChange() {
        const ProfilePair pair{test::openSample(source_),
                               test::openSample(files_.writeProfile("slow.pop", slower()))};
        views::TraceQuestion question{pair, views::TraceLook::Flat, {}};
        question.tints = std::make_shared<views::BoxTints>(pair, views::ColourBy::Change);
        const auto& run = pair.source->trace({})->runs()[1];
        std::size_t same = 0;
        std::size_t twice = 0;
        for (const auto& lane : test::traceLanes(question, {run.start, run.start + run.cycles}, 1))
            for (const views::TraceRow& row : lane.rows)
                for (const views::TraceBox& box : row.boxes)
                    if (box.tint.amount >= 0 && box.steps == 1)
                        ++(box.tint.amount > 0.9F ? twice : same);
        QVERIFY(twice > 0);
        QCOMPARE(same, std::size_t{0}); // every step takes longer, seen from either side
    }

    void nothingHasChangedBetweenEquals() {
        const ProfilePair pair{test::openSample(source_), test::openSample(source_)};
        views::TraceQuestion question{pair, views::TraceLook::Flame, {}};
        question.tints = std::make_shared<views::BoxTints>(pair, views::ColourBy::Change);
        const auto& run = pair.source->trace({})->runs()[1];
        for (const auto& lane :
             test::traceLanes(question, {run.start, run.start + run.cycles}, run.cycles / 50))
            for (const views::TraceRow& row : lane.rows)
                for (const views::TraceBox& box : row.boxes)
                    if (box.tint.amount >= 0)
                        QVERIFY2(std::abs(box.tint.amount - 0.5F) < 0.02F, box.name.c_str());
    }

    void onlyAPairHasAChange() {
        open({source_});
        QComboBox* colours = nullptr;
        for (auto* each : trace_->findChildren<QComboBox*>())
            if (each->accessibleName() == "Colour by")
                colours = each;
        QVERIFY(colours != nullptr);
        const auto enabled = [&](views::ColourBy by) {
            return (*colours)
                .model()
                ->index(static_cast<int>(by), 0)
                .flags()
                .testFlag(Qt::ItemIsEnabled);
        };
        QVERIFY(!enabled(views::ColourBy::Change) && !enabled(views::ColourBy::MicroBatch));
        QVERIFY(enabled(views::ColourBy::Operation));
        open({source_, target_});
        QVERIFY(enabled(views::ColourBy::Change));
        trace_->tabs().setColours(views::ColourBy::Change);
        settle();
        QVERIFY(!trace_->grab().isNull());
        open({source_});
        QCOMPARE(trace_->tabs().colours(), views::ColourBy::Kind);
    }

    void aStepLeadsToItsCounterpartAndBack() {
        open({source_, target_});
        const auto profile = test::openSample(source_);
        const auto index = profile->trace({});
        ProgramId program;
        const ProfilePair pair{profile, test::openSample(target_)};
        for (std::size_t i = 0; i < profile->programs()->size() && !program.valid(); ++i)
            if (index->findProgram(ProgramId(i), 40) >= 0 &&
                pair.matching->programs()->targetOf(ProgramId(i)).valid())
                program = ProgramId(i);
        QVERIFY(program.valid());
        const std::int64_t step = index->findProgram(program, 40); // not its first execution
        const_cast<views::TraceSelection&>(trace_->selection()).readStep(step, false);
        settle();
        key(Qt::Key_C);
        QVERIFY(trace_->selection().inTarget());
        const auto other = pair.target->trace({});
        const ExecutedStep shown = other->stepAt(trace_->selection().step());
        QCOMPARE(shown.program, pair.matching->programs()->targetOf(program));
        ProgramSet own(program.index() + 1, false);
        own[program.index()] = true;
        ProgramSet theirs(shown.program.index() + 1, false);
        theirs[shown.program.index()] = true;
        QCOMPARE(other->countAny(theirs, trace_->selection().step()), index->countAny(own, step));
        key(Qt::Key_C);
        QVERIFY(!trace_->selection().inTarget());
        QCOMPARE(trace_->selection().step(), step);
    }
};

TILESCOPE_TEST(PairedLanesTest, QApplication)

} // namespace paired_lanes_test

#include "paired_lanes_test.moc"
