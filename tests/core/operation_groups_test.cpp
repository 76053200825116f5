#include "core/analysis/operations/operation_groups.h"

#include <QTest>

#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

class Groups {
public:
    explicit Groups(Profile profile)
        : p_(std::move(profile))
        , executions_(TraceIndex(p_.trace, p_.info.target.ipus, p_.info.target.tilesPerIpu)
                          .executions(p_.programs.size())) {}

    [[nodiscard]] std::vector<OperationGroup> of(OperationLayer layer, int depth = 1) const {
        const OperationSources sources{p_.operations, p_.variables, p_.computeSets, p_.exchanges,
                                       p_.programs,   p_.copies,    &p_.vertexTypes};
        return operationGroups({sources, p_.info.target, executions_}, layer, depth);
    }
    [[nodiscard]] const Profile& profile() const { return p_; }

private:
    Profile p_;
    std::vector<ProgramExecutions> executions_;
};

const OperationGroup* named(const std::vector<OperationGroup>& groups, std::string_view name) {
    for (const OperationGroup& group : groups)
        if (group.name == name)
            return &group;
    return nullptr;
}

} // namespace

class OperationGroupsTest : public QObject {
    Q_OBJECT

private slots:
    void operationsHaveTheSumsOfTheirSteps() {
        const Groups sample(sampleProfile());
        const auto groups = sample.of(OperationLayer::Operation);
        const OperationGroup* layer = named(groups, "layer1/conv");
        QVERIFY(layer != nullptr);
        QCOMPARE(layer->operation.value(), 2);
        QCOMPARE(text(layer->type), "Conv");
        QCOMPARE(layer->computeCycles, 4000 + 900);
        QCOMPARE(layer->exchangeCycles, 512 + 128);
        QCOMPARE(layer->steps.size(), std::size_t(4));
        QCOMPARE(layer->exchangeCode, 1472 * (160 + 160));
        QCOMPARE(layer->controlCode, 1472 * 4 * 8);
        QCOMPARE(layer->vertexState, 1472 * 6 * 24 + 256 * 6 * 16);
        QCOMPARE(layer->variableBytes, 1472 * sample::partialsBytes + 64 * 2);
        QCOMPARE(layer->flops, 231211008.0);
        // Stream copies belong to no operation, and are not left out.
        QVERIFY(named(groups, "(no operation)") != nullptr);
    }

    void measuredCyclesCountEveryExecution() {
        const Groups sample(sampleProfile());
        const auto groups = sample.of(OperationLayer::Operation);
        // The function is called twice in each of ten repetitions.
        QCOMPARE(named(groups, "layer1/conv")->executions, 4 * 2 * 10);
        const Groups more(sampleProfile({.repeats = 1'000'000}));
        QCOMPARE(named(more.of(OperationLayer::Operation), "layer1/conv")->executions,
                 4 * 2 * 1'000'000);
        std::int64_t all = 0;
        for (const OperationGroup& group : groups)
            all += group.measuredCycles;
        std::int64_t steps = 0;
        for (const OperationGroup& group : sample.of(OperationLayer::Step))
            steps += group.measuredCycles;
        QVERIFY(all > 0);
        QCOMPARE(steps, all);
    }

    // The serial parts of a convolution are a repeat of its own; that of the batches is not.
    void estimatesCountTheSerialPartsOfAnOperation() {
        const Groups before(sampleProfile());
        Profile profile = sampleProfile();
        const auto isStep = [&](const Program& p) {
            return p.operation == OperationId(2) && !isControl(p.kind);
        };
        const auto step = std::find_if(profile.programs.begin(), profile.programs.end(), isStep);
        QVERIFY(step != profile.programs.end());
        const ProgramId around = step->parent;
        Program serial;
        serial.kind = ProgramKind::Repeat;
        serial.operation = OperationId(2);
        serial.count = 8;
        serial.parent = around;
        const ProgramId repeat(profile.programs.size());
        profile.programs.add(serial);
        for (Program& p : profile.programs)
            if (isStep(p))
                p.parent = repeat;
        const Groups after(std::move(profile));
        const auto groups = after.of(OperationLayer::Operation);
        const auto once = before.of(OperationLayer::Operation);
        const OperationGroup* layer = named(groups, "layer1/conv");
        const OperationGroup* plain = named(once, "layer1/conv");
        QCOMPARE(layer->computeCycles, 8 * plain->computeCycles);
        QCOMPARE(layer->exchangeCycles, 8 * plain->exchangeCycles);
        QCOMPARE(layer->utilisation * 8, plain->utilisation);
        QCOMPARE(layer->balance, plain->balance);
        QCOMPARE(named(groups, "conv1")->cycles(), named(once, "conv1")->cycles());
    }

    void utilisationIsAgainstThePeakOfTheTiles() {
        const Groups sample(sampleProfile());
        const auto groups = sample.of(OperationLayer::Operation);
        const OperationGroup* layer = named(groups, "layer1/conv");
        const bool half = true; // the sample's variables
        const double peak = peakFlopsPerCycle(sample.profile().info.target, half) * 1472;
        QCOMPARE(layer->utilisation, 231211008.0 / (5540 * peak));
        QVERIFY(layer->balance > 0 && layer->balance <= 1);
        // Published peaks of a GC200: 250 and 62.5 TFLOPS.
        const Target mk2 = targetPreset("mk2");
        const double tera = mk2.clockHz * mk2.tilesPerIpu * 1e-12;
        QVERIFY(std::abs(peakFlopsPerCycle(mk2, true) * tera - 250) < 1);
        QVERIFY(std::abs(peakFlopsPerCycle(mk2, false) * tera - 62.5) < 0.5);
    }

    void layersGatherTheSameSteps() {
        const Groups sample(sampleProfile());
        std::size_t leaves = 0;
        for (const Program& program : sample.profile().programs)
            leaves += isControl(program.kind) ? 0 : 1;
        for (const auto layer :
             {OperationLayer::Operation, OperationLayer::Scope, OperationLayer::Type,
              OperationLayer::Library, OperationLayer::Step}) {
            std::size_t steps = 0;
            std::int64_t cycles = 0;
            for (const OperationGroup& group : sample.of(layer)) {
                steps += group.steps.size();
                cycles += group.cycles();
            }
            QCOMPARE(steps, leaves);
            QVERIFY(cycles > 0);
        }
        const auto scopes = sample.of(OperationLayer::Scope);
        QVERIFY(named(scopes, "layer1") != nullptr && named(scopes, "layer1/conv") == nullptr);
        QVERIFY(named(sample.of(OperationLayer::Scope, 2), "layer1/conv") != nullptr);
        const auto types = sample.of(OperationLayer::Type);
        QCOMPARE(named(types, "Conv")->operations, 2);
        QVERIFY(!named(types, "Conv")->operation.valid());
    }

    void exchangesBelongToTheCallTheyPrecede() {
        Profile p = sampleProfile();
        for (Program& program : p.programs)
            if (program.name == "layer1/conv/ExchangePre")
                program.name = "cs7_layer1/conv/Convolve/ExchangePre";
            else if (program.name == "layer1/conv/Reduce0/ExchangePre")
                program.name = "copy3_Copy_a/b_to_layer1/conv/Reduce0/ExchangePre";
        const Groups sample(std::move(p));
        const auto calls = sample.of(OperationLayer::Library);
        const OperationGroup* call = named(calls, "layer1/conv");
        QVERIFY(call != nullptr);
        QCOMPARE(call->steps.size(), std::size_t(4));
        QCOMPARE(call->operation.value(), 2);
    }

    void scopesAreAsDeepAsNames() {
        QCOMPARE(scopeDepth(sampleProfile().operations), 2);
        QCOMPARE(scopeDepth({}), 0);
        IdVector<OperationId, Operation> absurd;
        Operation nested;
        nested.name = std::string(1'000'000, '/');
        absurd.add(nested);
        QCOMPARE(scopeDepth(absurd), 100);
        QVERIFY(Groups(Profile()).of(OperationLayer::Operation).empty());
    }
};

QTEST_APPLESS_MAIN(OperationGroupsTest)
#include "operation_groups_test.moc"
