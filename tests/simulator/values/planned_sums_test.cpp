// The parts in which a plan sums a product.
#include <QtTest>

#include "simulator/compute/machine.h"
#include "simulator/prepare/prepare.h"
#include "simulator/values/inference.h"
#include "simulator/values/model_values.h"
#include "simulator/values/planned_sums.h"
#include "tests/support/qt_text.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace planned_sums_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

ConvPlan planOf(std::vector<FieldDim> field) {
    ConvPlan plan;
    plan.problem.inType = plan.problem.partialType = DataType::Half;
    plan.problem.field = std::move(field);
    plan.grains.inChans = 16;
    plan.splits.field.assign(plan.problem.field.size(), 1);
    plan.splits.kernel.assign(plan.problem.field.size(), 1);
    return plan;
}

/// Every value that a run makes, in order.
std::vector<TensorData> valuesMade(const std::map<std::string, std::string>& given) {
    const RunOptions options = optionsOf(given);
    const Graph prepared = preparedGraph(valuedModel("mnist-tutorial", options), options);
    Machine machine(prepared, options, 0, plannedSums(prepared, options.machine, options.planning));
    std::vector<TensorData> made;
    HostPort port;
    port.input = [](const Tensor& input, const BatchPlace&) {
        return generatedInput(input.name, input.type, input.shape, 1);
    };
    port.watch = [&](const Graph&, TensorId, const BatchPlace&, const TensorData& value) {
        made.push_back(value.copy());
    };
    machine.run(port);
    return made;
}

double largestDifference(const TensorData& a, const TensorData& b) {
    double most = 0;
    for (std::int64_t i = 0; i < a.elements(); ++i)
        most = std::max(most, std::fabs(a.number(i) - b.number(i)));
    return most;
}

} // namespace

class PlannedSumsTest : public QObject {
    Q_OBJECT

private slots:
    void channelsAndKernelAreCutAsPlanned() {
        ConvPlan plan = planOf({{9, 7, 3}, {9, 7, 3}});
        plan.transform.ownFieldDims = {0, 1};
        plan.splits.inChans = 3;
        plan.splits.kernel = {1, 2};
        const PartialSums sums = sumsOf(plan, 2);
        QCOMPARE(sums.group, std::int64_t(16));
        QCOMPARE(sums.passRows, std::int64_t(1));
        QCOMPARE(sums.channelParts, std::int64_t(3));
        QCOMPARE(sums.kernelParts, (std::vector<std::int64_t>{1, 2}));
        QVERIFY(sums.stages == std::vector<std::int64_t>{6});
    }

    /// The second dimension joined the channels, and the batch comes before the first.
    void transformedDimensionsFindTheirs() {
        ConvPlan plan = planOf({{40, 40}, {9, 7, 3}});
        plan.transform.ownFieldDims = {1};
        plan.transform.expandedDims = {0};
        plan.transform.batchFlattened = true;
        plan.transform.flattenedAt = 0;
        plan.splits.kernel = {1, 3};
        plan.grains.inChans = 4;
        const PartialSums sums = sumsOf(plan, 2);
        QCOMPARE(sums.kernelParts, (std::vector<std::int64_t>{1, 3}));
        QVERIFY(sums.expanded == std::vector<int>{0});
        QCOMPARE(sums.passRows, std::int64_t(4)); // rows of four channels fill a unit
        QCOMPARE(sumsOf(plan, 0).kernelParts.size(), std::size_t(0));
    }

    void onlyHalfPartialsAreRounded() {
        const auto tableOf = [](const std::map<std::string, std::string>& given) {
            const RunOptions options = optionsOf(given);
            const Graph graph = preparedGraph(valuedModel("mnist-tutorial", options), options);
            return plannedSums(graph, options.machine, options.planning);
        };
        QVERIFY(tableOf({{"precision", "half"}}).empty());
        QVERIFY(tableOf({{"partialsType", "half"}}).empty()); // of operands in float
        QVERIFY(tableOf({{"precision", "half"}, {"partialsType", "half"}}).size() >= 4);
        QVERIFY(tableOf({{"precision", "half"},
                         {"partialsType", "half"},
                         {"compute", "on"},
                         {"arithmetic", "float"}})
                    .empty());
    }

    void partialsChangeResultsALittle() {
        const std::map<std::string, std::string> inHalf{{"precision", "half"},
                                                        {"partialsType", "half"}};
        const std::vector<TensorData> whole = valuesMade({{"precision", "half"}});
        const std::vector<TensorData> parts = valuesMade(inHalf);
        const std::vector<TensorData> again = valuesMade(inHalf);
        QCOMPARE(whole.size(), parts.size());
        double most = 0;
        for (std::size_t i = 0; i < whole.size(); ++i) {
            most = std::max(most, largestDifference(whole[i], parts[i]));
            QCOMPARE(largestDifference(parts[i], again[i]), 0.0);
        }
        QVERIFY2(most > 0 && most < 0.02, qPrintable(QString::number(most)));
    }

    void stochasticRoundingFollowsFromTheSeed() {
        const auto rounded = [](std::uint64_t seed) {
            RunOptions options = optionsOf({{"precision", "half"}, {"partialsType", "half"}});
            options.compute.stochasticRounding = true;
            const Graph prepared = preparedGraph(valuedModel("mnist-tutorial", options), options);
            Machine machine(prepared, options, seed,
                            plannedSums(prepared, options.machine, options.planning));
            TensorData made;
            HostPort port;
            port.input = [](const Tensor& input, const BatchPlace&) {
                return generatedInput(input.name, input.type, input.shape, 1);
            };
            port.output = [&](const Tensor&, const BatchPlace&, const TensorData& value) {
                made = value.copy();
            };
            machine.run(port);
            return made;
        };
        QCOMPARE(largestDifference(rounded(3), rounded(3)), 0.0);
        QVERIFY(largestDifference(rounded(3), rounded(4)) > 0);
    }
};

TILESCOPE_TEST(PlannedSumsTest)

} // namespace planned_sums_test

#include "planned_sums_test.moc"
