// The estimate of every plan of whole models against the steps that it was lowered to.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include <QtTest>

#include "core/options/job.h"
#include "core/options/option_table.h"
#include "simulator/simulate.h"
#include "support/plan_steps.h"
#include "tests/support/test_main.h"

namespace agreement_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

constexpr double mostApart = 0.2;
/// Of a term, unless it is a tenth of the plan at most: others may hide what is wrong with it.
constexpr double termMostApart = 0.2;
constexpr double littleOfPlan = 0.1;
constexpr std::size_t named = 10; ///< in the message of a failure

struct Apart {
    double share = 0;
    std::string text;
};

double apart(std::int64_t estimated, std::int64_t timed) {
    return std::abs(std::log(static_cast<double>(std::max<std::int64_t>(1, estimated)) /
                             static_cast<double>(std::max<std::int64_t>(1, timed))));
}

std::string describe(const Profile& profile, const PlanSteps& plan) {
    std::string terms;
    for (std::size_t i = 0; i < PlanTerms::names.size(); ++i)
        terms += fmt::format(" {} {}/{}", PlanTerms::names[i], plan.estimated.cycles[i],
                             plan.timed.cycles[i]);
    return fmt::format("{} {}/{}:{}", profile.operations[plan.operation].name,
                       plan.estimated.total(), plan.timed.total(), terms);
}

/// The worst plans, one a line, estimated/timed; empty if all are close enough.
std::string farApart(const Profile& profile) {
    std::vector<Apart> all;
    bool fails = false;
    for (const PlanSteps& plan : planStepsOf(profile)) {
        Apart one{apart(plan.estimated.total(), plan.timed.total()), describe(profile, plan)};
        fails = fails || one.share > std::log(1 + mostApart);
        for (std::size_t i = 0; i < PlanTerms::names.size(); ++i) {
            const std::int64_t estimated = plan.estimated.cycles[i], timed = plan.timed.cycles[i];
            fails = fails || (apart(estimated, timed) > std::log(1 + termMostApart) &&
                              static_cast<double>(std::abs(estimated - timed)) >
                                  littleOfPlan * static_cast<double>(plan.timed.total()));
        }
        all.push_back(std::move(one));
    }
    if (all.empty())
        return "no plans";
    if (!fails)
        return {};
    std::sort(all.begin(), all.end(),
              [](const Apart& a, const Apart& b) { return a.share > b.share; });
    std::string text = "estimated/timed cycles of the worst plans:";
    for (std::size_t i = 0; i < std::min(named, all.size()); ++i)
        text += fmt::format("\n{:.2f} {}", all[i].share, all[i].text);
    return text;
}

} // namespace

class AgreementTest : public QObject {
    Q_OBJECT

private slots:
    void jobs_data() {
        QTest::addColumn<QString>("job");
        for (const char* job : {"resnet50", "resnet50_training", "bert_large_pod16",
                                "tutorial_pipelined", "tutorial_half", "matmul_chain"})
            QTest::addRow("%s", job) << QString(job);
    }

    void jobs() {
        QFETCH(QString, job);
        const Job read = readJob(std::filesystem::path(TILESCOPE_SOURCE_DIR "/resources/jobs") /
                                 (job.toStdString() + ".json"));
        RunOptions options;
        setRunOptions(options, read.options);
        const std::string far = farApart(simulateModel(read.model, options));
        QVERIFY2(far.empty(), far.c_str());
    }

    void zoo_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("batch");
        QTest::addColumn<bool>("half");
        QTest::addColumn<double>("proportion");
        const auto add = [](const char* model, int batch, bool half, double proportion) {
            QTest::addRow("%s %d %s %g", model, batch, half ? "half" : "float", proportion)
                << QString(model) << batch << half << proportion;
        };
        for (const double proportion : {0.6, 0.2}) {
            add("resnext50_32x4d", 4, true, proportion);
            add("resnext50_32x4d", 18, false, proportion);
            add("vit-base", 4, true, proportion);
            add("mnist-tutorial", 400, false, proportion);
        }
        add("mnist-tutorial", 400, false, 0.03);
        add("resnext50_32x4d", 1, true, 0.6);
    }

    void zoo() {
        QFETCH(QString, model);
        QFETCH(int, batch);
        QFETCH(bool, half);
        QFETCH(double, proportion);
        RunOptions options;
        options.batch.batchSize = batch;
        options.model.precision = half ? Precision::Half : Precision::Float;
        options.planning.availableMemoryProportion = proportion;
        if (model == "mnist-tutorial")
            options.batch.mode = "training";
        const std::string far = farApart(simulateModel(model.toStdString(), options));
        QVERIFY2(far.empty(), far.c_str());
    }
};

TILESCOPE_TEST(AgreementTest)

} // namespace agreement_test

#include "agreement_test.moc"
