// Calls of functions in the program: names, code, copies, lives and times.
#include <cmath>
#include <map>
#include <set>

#include <QtTest>
#include <fmt/format.h>

#include "simulator/simulate.h"
#include "support/graph_builder.h"
#include "support/invariants.h"
#include "tests/support/category_bytes.h"
#include "tests/support/test_main.h"

namespace call_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;
using tilescope::test::bytesOf;

namespace {

constexpr int layers = 6;

/// Two products and two element-wise operations a layer.
Graph tower() {
    GraphBuilder b;
    TensorId x = b.input({16, 64});
    for (int i = 0; i < layers; ++i) {
        const std::string layer = fmt::format("layer{}", i);
        const TensorId y = b.matMul(layer + "/first", x, b.weight({64, 128}));
        const TensorId relu = b.unary(layer + "/relu", ElementwiseFunction::Relu, y);
        const TensorId z = b.matMul(layer + "/second", relu, b.weight({128, 64}));
        x = b.binary(layer + "/add", ElementwiseFunction::Add, z, x, {16, 64});
    }
    return b.finish({b.unary("last", ElementwiseFunction::Tanh, x)});
}

RunOptions onTiles(std::int32_t tiles, bool outline) {
    RunOptions options;
    options.machine.target.tilesPerIpu = tiles;
    options.outline.enabled = outline;
    return options;
}

RunOptions training(bool outline) {
    RunOptions options = onTiles(32, outline);
    options.batch.mode = "training";
    options.batch.gradientAccumulation = 3;
    return options;
}

std::int64_t code(const Profile& profile) {
    return bytesOf(profile, MemoryCategory::ControlCode) +
           bytesOf(profile, MemoryCategory::InternalExchangeCode) +
           bytesOf(profile, MemoryCategory::VertexInstanceState) +
           bytesOf(profile, MemoryCategory::VertexFieldData);
}

/// How often each program runs in all control programs together.
class Executions {
public:
    explicit Executions(const Profile& profile)
        : profile_(profile)
        , count_(profile.programs.size(), 0) {
        for (const ProgramId root : profile.controlPrograms)
            add(root, 1);
    }

    /// FLOPs of all operations, each as often as its compute sets run.
    [[nodiscard]] double flops() const {
        std::map<ComputeSetId, std::int64_t> sets;
        for (std::size_t i = 0; i < profile_.programs.size(); ++i)
            if (const auto set = profile_.programs[ProgramId(i)].computeSet; set.valid())
                sets[set] += count_[i];
        std::map<OperationId, std::int64_t> runs;
        for (const auto& [set, count] : sets) {
            auto& most = runs[profile_.computeSets[set].operation];
            most = std::max(most, count);
        }
        double sum = 0;
        for (const auto& [operation, count] : runs)
            if (operation.valid())
                sum += profile_.operations[operation].flops * static_cast<double>(count);
        return sum;
    }

private:
    void add(ProgramId id, std::int64_t times) {
        const Program& program = profile_.programs[id];
        count_[id.index()] += times;
        if (program.kind == ProgramKind::Call)
            add(program.target, times);
        for (const ProgramId child : program.children)
            add(child, program.kind == ProgramKind::Repeat ? times * program.count : times);
    }

    const Profile& profile_;
    std::vector<std::int64_t> count_;
};

std::vector<const Program*> ofKind(const Profile& profile, ProgramKind kind) {
    std::vector<const Program*> found;
    for (const Program& program : profile.programs)
        if (program.kind == kind)
            found.push_back(&program);
    return found;
}

/// Rules that do not hold, without what broke them.
std::set<std::string> brokenRules(const Profile& profile) {
    std::set<std::string> rules;
    for (const std::string& line : brokenInvariants(profile))
        rules.insert(line.substr(0, line.find(':')));
    return rules;
}

bool isLive(const Profile& profile, const Variable& variable, StepId step) {
    return variable.liveness.valid() && profile.livenessClasses[variable.liveness].contains(step);
}

} // namespace

class CallTest : public QObject {
    Q_OBJECT

private slots:
    /// Flame and program tree put a call under the scope of its operation.
    void aCallNamesItsFunctionAndItsPlace() {
        const Profile profile = simulate(tower(), onTiles(32, true));
        QCOMPARE(profile.functions.size(), std::size_t{1});
        const auto calls = ofKind(profile, ProgramKind::Call);
        QCOMPARE(calls.size(), std::size_t{layers});
        std::set<std::string> names;
        for (const Program* call : calls) {
            QCOMPARE(profile.programs[call->target].name, std::string("call_subgraph(0)"));
            QCOMPARE(call->name, profile.operations[call->operation].name);
            QVERIFY2(call->name.find("call_subgraph(0)") != std::string::npos, call->name.c_str());
            names.insert(call->name);
        }
        QCOMPARE(names.size(), calls.size());
        QVERIFY(ofKind(simulate(tower(), onTiles(32, false)), ProgramKind::Call).empty());
    }

    void codeShrinksAndCyclesGrow_data() {
        QTest::addColumn<bool>("trains");
        QTest::newRow("inference") << false;
        QTest::newRow("training") << true;
    }

    void codeShrinksAndCyclesGrow() {
        QFETCH(bool, trains);
        const Profile with = simulate(tower(), trains ? training(true) : onTiles(32, true));
        const Profile without = simulate(tower(), trains ? training(false) : onTiles(32, false));
        for (const Profile* profile : {&with, &without}) {
            const std::string wrong = complaints(*profile);
            QVERIFY2(wrong.empty(), wrong.c_str());
        }
        QVERIFY(code(with) < code(without));
        QVERIFY(with.info.cycles > without.info.cycles);
        QVERIFY(static_cast<double>(with.info.cycles) <
                1.5 * static_cast<double>(without.info.cycles));
        QCOMPARE(Executions(with).flops(), Executions(without).flops());
    }

    /// A weight is laid out as the function requires, so its copies stay on their tiles.
    void weightsAreCopiedOnTheirTiles() {
        const Profile profile = simulate(tower(), onTiles(32, true));
        for (const Program* exchange : ofKind(profile, ProgramKind::DoExchange)) {
            if (exchange->name.find("callInputs") == std::string::npos)
                continue;
            for (const VariableId read : exchange->variablesRead)
                QVERIFY2(!profile.variables[read].alwaysLive, exchange->name.c_str());
        }
    }

    /// Copies on tiles are the steps of a call whose cycles the IPU Model counts otherwise.
    void copiesOfCallsAreThoseOfTheIpuModel() {
        const auto cyclesOfCopies = [](bool ipuModel) {
            RunOptions options = onTiles(32, true);
            options.machine.ipuModel = ipuModel;
            const Profile profile = simulate(tower(), options);
            std::set<std::int64_t> cycles;
            for (const Program* step : ofKind(profile, ProgramKind::OnTileExecute))
                if (std::string_view(step->name).ends_with("/callInputs/OnTileCopy"))
                    cycles.insert(profile.computeSets[step->computeSet].cycles.max().value);
            return cycles;
        };
        const std::set<std::int64_t> measured = cyclesOfCopies(false);
        const std::set<std::int64_t> counted = cyclesOfCopies(true);
        QVERIFY(!measured.empty());
        QCOMPARE(measured.size(), counted.size());
        auto count = counted.begin();
        for (const std::int64_t cycles : measured) {
            const double bytes = 8.0 * static_cast<double>(cycles - 288);
            QVERIFY(bytes > 0);
            QVERIFY2(std::abs(120 + 0.44 * bytes - static_cast<double>(*count)) < 4,
                     fmt::format("{} and {}", cycles, *count).c_str());
            ++count;
        }
    }

    /// Operands and results of a function are live around its calls, not between them.
    void inputsAreNotLiveBetweenCalls() {
        const Profile profile = simulate(tower(), onTiles(32, true));
        StepId last;
        for (std::size_t i = 0; i < profile.steps.size(); ++i)
            if (profile.programs[profile.steps[StepId(i)]].name == "last/Op/Tanh")
                last = StepId(i);
        QVERIFY(last.valid());
        int inputs = 0;
        for (const Variable& variable : profile.variables) {
            if (!variable.name.starts_with("call_subgraph(0)/"))
                continue;
            ++inputs;
            QVERIFY2(!isLive(profile, variable, last), variable.name.c_str());
        }
        QCOMPARE(inputs, 3);
    }

    /// LAMB's norms make one function worthwhile for all weights of a shape; overwritten inputs are
    /// copied back to the weight and its state.
    void equalWeightsShareTheirUpdate() {
        RunOptions options = training(true);
        options.training.optimizer = Optimizer::Lamb;
        options.outline.copyCostPruning = false; // copies of small weights cost more than they save
        const Profile with = simulate(tower(), options);
        const std::string wrong = complaints(with);
        QVERIFY2(wrong.empty(), wrong.c_str());
        std::set<std::string> updated;
        for (const Program& program : with.programs)
            if (program.name.find("/callModified") != std::string::npos)
                for (const VariableId written : program.variablesWritten)
                    updated.insert(with.variables[written].name);
        const auto ofState = [&](const char* prefix) {
            return std::count_if(updated.begin(), updated.end(),
                                 [&](const std::string& name) { return name.starts_with(prefix); });
        };
        QCOMPARE(ofState("Accl1___"), std::ptrdiff_t{2 * layers});
        QCOMPARE(ofState("Accl2___"), std::ptrdiff_t{2 * layers});
        QCOMPARE(ofState("w"), std::ptrdiff_t{2 * layers});
        options.outline.enabled = false;
        options.outline.copyCostPruning = true;
        const Profile without = simulate(tower(), options);
        QVERIFY(code(with) < code(without));
        QCOMPARE(Executions(with).flops(), Executions(without).flops());
    }

    void recomputedCallsRunAgain() {
        RunOptions options = training(true);
        options.memory.recompute = Recompute::All;
        options.memory.checkpoints = {"layer2/add", "layer5/add"};
        const Profile profile = simulate(tower(), options);
        const std::string wrong = complaints(profile);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QVERIFY(ofKind(profile, ProgramKind::Call).size() >
                ofKind(simulate(tower(), training(true)), ProgramKind::Call).size());
    }

    void stagesOfAPipelineCallTheirOwn() {
        RunOptions options = training(true);
        options.machine.target.ipus = 2;
        options.execution.scheme = Execution::Pipelined;
        options.batch.gradientAccumulation = 8;
        for (const Recompute recompute : {Recompute::None, Recompute::Pipeline})
            for (const Schedule schedule : {Schedule::PopArt, Schedule::Grouped}) {
                options.memory.recompute = recompute;
                options.execution.schedule = schedule;
                options.outline.enabled = false;
                const std::set<std::string> before = brokenRules(simulate(tower(), options));
                options.outline.enabled = true;
                const Profile profile = simulate(tower(), options);
                for (const std::string& rule : brokenRules(profile))
                    QVERIFY2(before.contains(rule), rule.c_str());
                int functions = 0;
                for (const ProgramId function : profile.functions)
                    functions +=
                        profile.programs[function].name.starts_with("call_subgraph") ? 1 : 0;
                QVERIFY(functions >= 4);
            }
    }
};

TILESCOPE_TEST(CallTest)

} // namespace call_test

#include "call_test.moc"
