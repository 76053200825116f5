// Simulations that use work kept from others give the same results as alone.
#include <QtTest>

#include "core/base/error.h"
#include "core/options/run_options.h"
#include "simulator/kept_work.h"
#include "simulator/simulate.h"
#include "tests/support/compare_profile.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace kept_work_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Values = std::map<std::string, std::string>;

} // namespace

class KeptWorkTest : public QObject {
    Q_OBJECT

private slots:
    void aSearchGivesWhatItsPointsGive_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<std::vector<Values>>("points");
        const auto with = [](Values values, const Values& more) {
            values.insert(more.begin(), more.end());
            return values;
        };
        const Values little{{"availableMemoryProportion", "0.002"}};
        const Values some{{"availableMemoryProportion", "0.05"}};
        const Values much{{"availableMemoryProportion", "0.9"}};
        QTest::newRow("memory and batch")
            << "mnist-cnn" << std::vector<Values>{some,
                                                  much,
                                                  little,
                                                  much,
                                                  with({{"batchSize", "4"}}, much),
                                                  with({{"batchSize", "4"}}, some),
                                                  some};
        QTest::newRow("other options between")
            << "mnist-cnn"
            << std::vector<Values>{much,
                                   with({{"partialsType", "half"}, {"precision", "half"}}, much),
                                   with({{"relaxMemoryTarget", "on"}}, little),
                                   little,
                                   with({{"deviceIterations", "3"}}, much),
                                   with({{"target", "mk1"}}, much),
                                   much,
                                   with({{"tilesPerIpu", "4"}}, much)};
        const Values pipeline{{"execution", "pipelined"},
                              {"ipus", "2"},
                              {"batchSize", "2"},
                              {"deviceIterations", "8"}};
        QTest::newRow("stages by the planner's estimates")
            << "mnist-cnn"
            << std::vector<Values>{
                   with(pipeline, much), with(pipeline, little),
                   with(pipeline, {{"availableMemoryProportion", "ipu0=0.9,ipu1=0.01"}})};
        const Values training{{"mode", "training"}, {"batchSize", "4"}};
        QTest::newRow("training") << "mnist-cnn"
                                  << std::vector<Values>{
                                         with(training, much), with(training, some),
                                         with(with(training, {{"optimizer", "adam"}}), some), much};
        QTest::newRow("a model with options")
            << "bert-base"
            << std::vector<Values>{{{"modelOptions", "layers=2,sequenceLength=64"}},
                                   with({{"modelOptions", "layers=2,sequenceLength=64"}}, little),
                                   with({{"modelOptions", "layers=1,sequenceLength=64"}}, little)};
    }
    void aSearchGivesWhatItsPointsGive() {
        QFETCH(QString, model);
        QFETCH(std::vector<Values>, points);
        KeptWork kept;
        for (const Values& values : points) {
            const RunOptions options = optionsOf(values);
            const Profile alone = simulateModel(model.toStdString(), options);
            const Profile shared = simulateModel(model.toStdString(), options, {}, &kept);
            QCOMPARE(
                QString::fromStdString(firstDifference(withoutTimes(shared), withoutTimes(alone))),
                "");
        }
    }

    void anErrorLeavesTheRestUsable() {
        KeptWork kept;
        const RunOptions good = optionsOf({{"batchSize", "2"}});
        const Profile first = simulateModel("mlp", good, {}, &kept);
        RunOptions bad = good;
        bad.execution.split = {"nothing"};
        bad.machine.target.ipus = 2;
        bad.execution.scheme = Execution::Sharded;
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(simulateModel("mlp", bad, {}, &kept)),
                                 UserError);
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(simulateModel("none.onnx", good, {}, &kept)),
                                 UserError);
        const Profile again = simulateModel("mlp", good, {}, &kept);
        QCOMPARE(QString::fromStdString(firstDifference(withoutTimes(again), withoutTimes(first))),
                 "");
    }

    void plansOfOneBoundServeOthers() {
        ConvProblem problem;
        problem.batch = 4;
        problem.inChans = 64;
        problem.outChans = 128;
        problem.field = {{28, 28, 3, 1, 1, 1, 1}, {28, 28, 3, 1, 1, 1, 1}};
        const Target target = targetPreset("mk2");
        for (const OverMemory over : {OverMemory::LeastMemory, OverMemory::Relax})
            for (const bool upwards : {false, true}) {
                PlanMemory memory;
                memory.begin(target, over);
                std::size_t known = 0;
                constexpr int steps = 24;
                for (int i = 0; i <= steps; ++i) {
                    // From nothing to more than any plan takes, in smaller steps at small sizes.
                    const double part = static_cast<double>(upwards ? i : steps - i) / steps;
                    const double proportion = part * part * part;
                    const std::int64_t bound = memoryBound(target, proportion);
                    const ConvPlan searched = planConv(target, problem, proportion, over);
                    if (const ConvPlan* plan = memory.find(problem, bound)) {
                        ++known;
                        QVERIFY(*plan == searched);
                    }
                    memory.add(problem, bound, searched);
                }
                QVERIFY(upwards || known > 0);
                ConvProblem another = problem;
                another.batch = 5;
                QVERIFY(memory.find(another, memoryBound(target, 1)) == nullptr);
                memory.begin(targetPreset("mk1"), over);
                QVERIFY(memory.find(problem, memoryBound(target, 1)) == nullptr);
            }
    }
};

TILESCOPE_TEST(KeptWorkTest)

} // namespace kept_work_test

#include "kept_work_test.moc"
