// Loops over time steps in the program: a body that exists once, sequences, states, training.
#include <algorithm>
#include <map>

#include <QtTest>

#include "simulator/lowering/operations/loop.h"
#include "simulator/operations/operations.h"
#include "simulator/simulate.h"
#include "support/invariants.h"
#include "tests/support/category_bytes.h"
#include "tests/support/test_main.h"

namespace loop_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;
using tilescope::test::bytesOf;

namespace {

RecurrentLayer layerOf(CellKind kind, std::int64_t steps) {
    RecurrentLayer layer;
    layer.kind = kind;
    layer.sequenceSize = steps;
    layer.batchSize = 4;
    layer.inputSize = 64;
    layer.outputSize = 96;
    return layer;
}

OperationOptions onTiles(std::int32_t tiles) {
    OperationOptions options;
    options.target.tilesPerIpu = tiles;
    return options;
}

struct Simulated {
    OperationResult result;
    Profile profile;
};

Simulated run(const RecurrentLayer& layer) {
    Simulated made;
    const OperationOptions options = onTiles(64);
    made.result = runOperation(graphOf(layer, DataType::Half), options, &made.profile);
    return made;
}

std::vector<const Program*> repeats(const Profile& profile) {
    std::vector<const Program*> found;
    for (const Program& program : profile.programs)
        if (program.kind == ProgramKind::Repeat && program.count > 1)
            found.push_back(&program);
    return found;
}

std::int64_t code(const Profile& profile) {
    return bytesOf(profile, MemoryCategory::ControlCode) +
           bytesOf(profile, MemoryCategory::InternalExchangeCode) +
           bytesOf(profile, MemoryCategory::VertexInstanceState) +
           bytesOf(profile, MemoryCategory::VertexFieldData);
}

std::string complaints(const Profile& profile) {
    std::string all;
    for (const std::string& line : brokenInvariants(profile))
        all += line + "\n";
    return all;
}

/// Compute sets whose names contain a text.
std::int64_t named(const Profile& profile, const std::string& text) {
    return std::count_if(
        profile.computeSets.begin(), profile.computeSets.end(),
        [&](const ComputeSet& set) { return set.name.find(text) != std::string::npos; });
}

void addKinds() {
    QTest::addColumn<int>("kind");
    QTest::newRow("LSTM") << int(CellKind::Lstm);
    QTest::newRow("GRU") << int(CellKind::Gru);
    QTest::newRow("RNN") << int(CellKind::Rnn);
}

} // namespace

class LoopTest : public QObject {
    Q_OBJECT

private slots:
    void theStepIsThereOnce_data() { addKinds(); }
    void theStepIsThereOnce() {
        QFETCH(int, kind);
        const Simulated few = run(layerOf(CellKind(kind), 10));
        const Simulated many = run(layerOf(CellKind(kind), 1000));
        QCOMPARE(few.profile.programs.size(), many.profile.programs.size());
        QCOMPARE(few.profile.computeSets.size(), many.profile.computeSets.size());
        QCOMPARE(code(few.profile), code(many.profile));
        const auto loops = repeats(many.profile);
        QCOMPARE(loops.size(), std::size_t(1));
        QCOMPARE(loops.front()->count, std::int64_t(1000));
        QCOMPARE(complaints(many.profile), std::string());
    }

    // Each step takes as long as the others; the rest of the program does not grow.
    void cyclesGrowWithTheSteps_data() { addKinds(); }
    void cyclesGrowWithTheSteps() {
        QFETCH(int, kind);
        const auto cycles = [&](std::int64_t steps) {
            return run(layerOf(CellKind(kind), steps)).result.cycles;
        };
        const std::int64_t ten = cycles(10), twenty = cycles(20), forty = cycles(40);
        QCOMPARE(forty - twenty, 2 * (twenty - ten));
        QVERIFY(twenty > ten);
    }

    void trainingRunsALoopBack_data() { addKinds(); }
    void trainingRunsALoopBack() {
        QFETCH(int, kind);
        RecurrentLayer layer = layerOf(CellKind(kind), 12);
        const Simulated forward = run(layer);
        layer.phases.backward = true;
        const Simulated backward = run(layer);
        layer.phases.update = true;
        const Simulated all = run(layer);
        QCOMPARE(repeats(backward.profile).size(), std::size_t(2));
        // Weights are larger than what 12 steps keep for their gradients: a loop of their own.
        QCOMPARE(repeats(all.profile).size(), std::size_t(3));
        QVERIFY(backward.result.cycles > forward.result.cycles);
        QVERIFY(all.result.cycles > backward.result.cycles);
        // The gradients of the weights are results.
        const Graph graph = graphOf(layer, DataType::Half);
        RecurrentCell cell;
        cell.kind = CellKind(kind);
        // And that of the input, and the output.
        QCOMPARE(graph.outputs.size(), 2 + weightsOf(cell).size());
        QCOMPARE(complaints(all.profile), std::string());
    }

    // Gradients of weights are summed in the backward loop only if they are no larger than what it
    // would keep for them (popnn interleavedWUIsBeneficial): 160 x 384 against 4 x 384 a step.
    void gradientsOfSmallWeightsAreInTheLoopBack() {
        RecurrentLayer layer = layerOf(CellKind::Lstm, 39);
        layer.phases.backward = layer.phases.update = true;
        QCOMPARE(repeats(run(layer).profile).size(), std::size_t(3));
        layer.sequenceSize = 40;
        QCOMPARE(repeats(run(layer).profile).size(), std::size_t(2));
    }

    // What a step keeps for the backward pass is one tensor: the states as they were, what the step
    // made of them, and apart from these the output. The way back cuts its rows at once.
    void intermediatesAreCutTogether() {
        RecurrentLayer layer = layerOf(CellKind::Lstm, 12);
        layer.phases.backward = true;
        const Simulated made = run(layer);
        QCOMPARE(named(made.profile, "dynamicUpdate"), std::int64_t(3 + 1));
        QCOMPARE(named(made.profile, "inputSlice"), std::int64_t(1 + 2));
    }

    // A product in groups of samples is transposed into the state's groups of units, which move as
    // a whole: no copy of elements (popnn rearrangeUnitsOutputFwd).
    void productsAreRegroupedForTheState() {
        const Simulated made = run(layerOf(CellKind::Lstm, 12));
        QCOMPARE(named(made.profile, "Transpose"), std::int64_t(1));
        QCOMPARE(named(made.profile, "Rearranged/OnTileCopy"), std::int64_t(0));
    }

    // A product of two operands side by side reads a view of both: one exchange brings them.
    void operandsSideBySideComeTogether() {
        const Simulated made = run(layerOf(CellKind::Lstm, 12));
        const auto& exchanges = made.profile.exchanges;
        QCOMPARE(std::count_if(exchanges.begin(), exchanges.end(),
                               [](const Exchange& exchange) {
                                   return exchange.name.ends_with(
                                       "_to_fwd/ProcessUnits/WeighOperand/ExchangePre");
                               }),
                 1);
    }

    // On the way back the gradients of input and state are regrouped as one product, and a
    // gradient is multiplied with several tensors at once (popnn/Lstm.cpp, backwardStepImpl).
    void gradientsOfAStepAreMadeTogether() {
        RecurrentLayer layer = layerOf(CellKind::Lstm, 12);
        layer.batchSize = 8;
        layer.inputSize = layer.outputSize = 256;
        layer.phases.backward = true;
        const Simulated made = run(layer);
        QCOMPARE(named(made.profile, "ConcatGrad/Transpose"), std::int64_t(1));
        QCOMPARE(named(made.profile, "ConcatGrad/1/Transpose"), std::int64_t(0));
        QCOMPARE(named(made.profile, "OutputGate/Mul/MulArg0Grad"), std::int64_t(1));
        QCOMPARE(named(made.profile, "OutputGate/Mul/MulArg1Grad"), std::int64_t(0));
        QCOMPARE(complaints(made.profile), std::string());
    }

    // An LSTM's gradients of the gates are a view of those of each, without a copy
    // (popnn/Lstm.cpp, backwardStepImpl: gradUnits). It lives as long as they did.
    void gradientsOfGatesAreJoinedInPlace() {
        RecurrentLayer layer = layerOf(CellKind::Lstm, 12);
        layer.phases.backward = layer.phases.update = true;
        const Simulated made = run(layer);
        QCOMPARE(named(made.profile, "join/OnTileCopy"), std::int64_t(0));
        std::int64_t views = 0;
        for (const Program& program : made.profile.programs)
            if (program.kind == ProgramKind::WriteUndef && program.name.ends_with("/join/out")) {
                ++views;
                QVERIFY(program.variablesRead.size() > 1);
                QCOMPARE(program.variablesWritten.size(), std::size_t(1));
            }
        QVERIFY(views > 0);
        QCOMPARE(complaints(made.profile), std::string());
    }

    // The two products of the new state are one compute set. A step that keeps nothing has its new
    // states where the old ones are; one that does copies both to there (popnn/Lstm.cpp,
    // basicLstmCellForwardPassInPlace and basicLstmCellForwardPass).
    void statesAreOverwrittenWhereNothingIsKept() {
        RecurrentLayer layer = layerOf(CellKind::Lstm, 12);
        const Simulated alone = run(layer);
        QCOMPARE(named(alone.profile, "ForgetGate/Mul"), std::int64_t(1));
        QCOMPARE(named(alone.profile, "InputGate/Mul"), std::int64_t(0));
        QCOMPARE(named(alone.profile, "rnn/states/OnTileCopy"), std::int64_t(0));
        QCOMPARE(complaints(alone.profile), std::string());
        layer.phases.backward = true;
        const Simulated kept = run(layer);
        QCOMPARE(named(kept.profile, "fwd/ForgetGate/Mul/Op"), std::int64_t(1));
        QCOMPARE(named(kept.profile, "rnn/states/OnTileCopy"), std::int64_t(1));
        QCOMPARE(complaints(kept.profile), std::string());
    }

    // What the steps leave for the backward pass is kept for each of them, whatever else is not.
    void onlyWhatTheBackwardPassReadsIsKept() {
        RecurrentLayer layer = layerOf(CellKind::Lstm, 12);
        layer.phases.backward = layer.phases.update = true;
        const Graph graph = graphOf(layer, DataType::Half);
        std::int64_t kept = 0;
        for (const Op& op : graph.ops)
            if (const auto* loop = std::get_if<LoopAttributes>(&op.attributes);
                loop != nullptr && op.pass == Pass::Forward)
                for (std::size_t i = static_cast<std::size_t>(loop->states); i < op.outputs.size();
                     ++i)
                    kept += graph.tensors[op.outputs[i]].elements();
        // popnn: the outputs, and six of their size: gates, candidate, tanh, cell. Here the hidden
        // state as it was is kept, too, where popnn shifts the outputs.
        QCOMPARE(kept, std::int64_t(12 * 4 * 96) * (1 + 6 + 1));
    }

    void bothDirectionsAreTwoLoops() {
        RecurrentLayer layer = layerOf(CellKind::Lstm, 12);
        layer.both = true;
        const Simulated made = run(layer);
        QCOMPARE(repeats(made.profile).size(), std::size_t(2));
        QCOMPARE(complaints(made.profile), std::string());
    }

    // The product with the input once for all steps: one more product, less in each step.
    void weightedInputsComeBeforeTheLoop() {
        RecurrentLayer layer = layerOf(CellKind::Lstm, 100);
        const Simulated within = run(layer);
        layer.preWeightInput = true;
        const Simulated before = run(layer);
        QCOMPARE(within.result.plans.size(), std::size_t(1));
        QCOMPARE(before.result.plans.size(), std::size_t(2));
        QCOMPARE(complaints(before.profile), std::string());
    }

    void rowsStayOnTheirTiles() {
        const Storage row = recurrentStorage({4, 96}, 2, 64);
        const Storage all = sequenceStorage(row, 10);
        QCOMPARE(all.layout.blocking.elements(), row.layout.blocking.elements().scaled(10));
        const auto back = rowOfSequence(all, {{0}, {1}, {2, 3}});
        QVERIFY(back.has_value());
        QVERIFY(back->first.layout.blocking == row.layout.blocking);
        QCOMPARE(back->first.atomSizes, row.atomSizes);
        QVERIFY(!rowOfSequence(linearStorage({10, 4, 96}, 2, 64), identityView(3)).has_value());
    }
};

TILESCOPE_TEST(LoopTest)

} // namespace loop_test
#include "loop_test.moc"
