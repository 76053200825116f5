// Flat steps of an execution back in the calls and repeats that ran them.
#include <QTest>

#include "core/import/fold.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace import_fold_test {
using namespace tilescope;

namespace {

/// A program tree and an execution that is made from it step by step.
class Tree {
public:
    ProgramId add(ProgramKind kind, ProgramId parent = {}) {
        Program program;
        program.kind = kind;
        program.parent = parent;
        if (kind == ProgramKind::Repeat)
            program.count = 0; // not known
        const ProgramId id = programs.add(std::move(program));
        if (parent.valid())
            programs[parent].children.push_back(id);
        return id;
    }

    void run(ProgramId program, std::int64_t cycles = 10, std::int32_t ipus = 1) {
        TraceStep step;
        step.program = program;
        step.kind = program.valid() ? programs[program].kind : ProgramKind::Sync;
        for (std::int32_t ipu = 0; ipu < ipus; ++ipu)
            step.ipus.push_back({IpuId(ipu), now_, cycles, 4, 4 * cycles, 0, 0});
        now_ += cycles;
        steps.push_back(std::move(step));
    }

    void wait(std::int64_t cycles) { now_ += cycles; }

    /// Folds the steps as one run; returns those without a place.
    std::int64_t fold() {
        TraceFold folding(programs, roots, trace);
        std::size_t at = 0;
        folding.addRun("run", [&]() -> const TraceStep* {
            return at < steps.size() ? &steps[at++] : nullptr;
        });
        targets = folding.inferredTargets();
        repeats = folding.observedRepeats();
        return folding.flatSteps();
    }

    [[nodiscard]] const TraceBody& body() const { return trace.bodies[trace.runs.front().body]; }

    IdVector<ProgramId, Program> programs;
    std::vector<ProgramId> roots;
    std::vector<TraceStep> steps;
    std::vector<ProgramId> targets;
    std::vector<std::int64_t> repeats;
    Trace trace;

private:
    std::int64_t now_ = 100;
};

} // namespace

class ImportFoldTest : public QObject {
    Q_OBJECT

private slots:
    void equalRepetitionsAreOneCall() {
        Tree tree;
        const ProgramId main = tree.add(ProgramKind::Sequence);
        const ProgramId before = tree.add(ProgramKind::OnTileExecute, main);
        const ProgramId repeat = tree.add(ProgramKind::Repeat, main);
        const ProgramId content = tree.add(ProgramKind::Sequence, repeat);
        const ProgramId one = tree.add(ProgramKind::OnTileExecute, content);
        const ProgramId two = tree.add(ProgramKind::DoExchange, content);
        tree.roots = {main};
        tree.run(before);
        for (int i = 0; i < 50; ++i) {
            tree.run(ProgramId(), 3); // a sync
            tree.run(one);
            tree.run(two, 7);
        }
        QCOMPARE(tree.fold(), 0);
        QCOMPARE(tree.trace.bodies.size(), std::size_t{2});
        QCOMPARE(tree.body().items.size(), std::size_t{2});
        const TraceCall& call = tree.body().calls.front();
        QCOMPARE(call.count, 50);
        QCOMPARE(call.program, repeat);
        QCOMPARE(call.ipus.front().start, 10);
        QCOMPARE(call.ipus.front().period, 20);
        QCOMPARE(tree.trace.bodies[call.callee].steps.size(), std::size_t{3});
        QCOMPARE(tree.repeats[repeat.index()], 50);
        QCOMPARE(tree.trace.runs.front().start, 100);
        QCOMPARE(tree.trace.runs.front().cycles, 10 + 50 * 20);
    }

    void otherDistancesMakeAnotherCall() {
        Tree tree;
        const ProgramId main = tree.add(ProgramKind::Sequence);
        const ProgramId repeat = tree.add(ProgramKind::Repeat, main);
        const ProgramId one = tree.add(ProgramKind::OnTileExecute, repeat);
        tree.roots = {main};
        for (int i = 0; i < 4; ++i)
            tree.run(one);
        tree.wait(5);
        for (int i = 0; i < 3; ++i)
            tree.run(one);
        QCOMPARE(tree.fold(), 0);
        QCOMPARE(tree.body().calls.size(), std::size_t{2});
        QCOMPARE(tree.body().calls[0].count, 4);
        QCOMPARE(tree.body().calls[1].count, 3);
        QCOMPARE(tree.trace.bodies.size(), std::size_t{2});
    }

    void aFunctionIsFoundByWhatRunsNext() {
        Tree tree;
        const ProgramId main = tree.add(ProgramKind::Sequence);
        const ProgramId first = tree.add(ProgramKind::Call, main);
        const ProgramId between = tree.add(ProgramKind::OnTileExecute, main);
        const ProgramId second = tree.add(ProgramKind::Call, main);
        const ProgramId never = tree.add(ProgramKind::Call, main);
        const ProgramId function = tree.add(ProgramKind::Sequence);
        const ProgramId step = tree.add(ProgramKind::OnTileExecute, function);
        tree.roots = {main};
        tree.run(step);
        tree.run(between);
        tree.run(step);
        QCOMPARE(tree.fold(), 0);
        QCOMPARE(tree.targets[first.index()], function);
        QCOMPARE(tree.targets[second.index()], function);
        QVERIFY(!tree.targets[never.index()].valid());
        QCOMPARE(tree.body().calls[0].callee, tree.body().calls[1].callee);
    }

    void whatHasNoPlaceStaysAndIsCounted() {
        Tree tree;
        const ProgramId main = tree.add(ProgramKind::Sequence);
        const ProgramId one = tree.add(ProgramKind::OnTileExecute, main);
        const ProgramId two = tree.add(ProgramKind::OnTileExecute, main);
        const ProgramId other = tree.add(ProgramKind::Sequence);
        const ProgramId stray = tree.add(ProgramKind::OnTileExecute, other);
        tree.roots = {main};
        tree.run(one);
        tree.run(stray);
        tree.run(two);
        QCOMPARE(tree.fold(), 1);
        QCOMPARE(tree.body().steps.size(), std::size_t{3});
        QCOMPARE(tree.body().steps[1].program, stray);
    }

    void aRepeatEndsAfterItsCount() {
        Tree tree;
        const ProgramId main = tree.add(ProgramKind::Sequence);
        const ProgramId repeat = tree.add(ProgramKind::Repeat, main);
        const ProgramId call = tree.add(ProgramKind::Call, repeat);
        const ProgramId last = tree.add(ProgramKind::Call, main);
        const ProgramId function = tree.add(ProgramKind::Sequence);
        const ProgramId step = tree.add(ProgramKind::OnTileExecute, function);
        tree.programs[repeat].count = 3;
        tree.programs[call].target = tree.programs[last].target = function;
        tree.roots = {main};
        for (int i = 0; i < 4; ++i)
            tree.run(step);
        QCOMPARE(tree.fold(), 0);
        QCOMPARE(tree.body().calls.size(), std::size_t{2});
        QCOMPARE(tree.body().calls[0].count, 3);
        QCOMPARE(tree.body().calls[1].program, last);
    }

    void ipusHaveTimesOfTheirOwn() {
        Tree tree;
        const ProgramId main = tree.add(ProgramKind::Sequence);
        const ProgramId repeat = tree.add(ProgramKind::Repeat, main);
        const ProgramId one = tree.add(ProgramKind::OnTileExecute, repeat);
        tree.roots = {main};
        for (int i = 0; i < 3; ++i) {
            tree.run(one, 10, 2);
            tree.steps.back().ipus[1].start += 100 * i;
        }
        QCOMPARE(tree.fold(), 0);
        const TraceCall& call = tree.body().calls.front();
        QCOMPARE(call.count, 3);
        QCOMPARE(call.ipus[0].period, 10);
        QCOMPARE(call.ipus[1].period, 110);
    }

    // A file may say that a function calls itself, or nest without end.
    void absurdTreesEnd() {
        Tree tree;
        const ProgramId main = tree.add(ProgramKind::Sequence);
        const ProgramId call = tree.add(ProgramKind::Call, main);
        const ProgramId step = tree.add(ProgramKind::OnTileExecute, main);
        tree.programs[call].target = main;
        ProgramId deep = tree.add(ProgramKind::Sequence);
        tree.roots = {main, deep};
        for (int i = 0; i < 100'000; ++i)
            deep = tree.add(ProgramKind::Sequence, deep);
        const ProgramId deepest = tree.add(ProgramKind::OnTileExecute, deep);
        tree.run(step);
        tree.run(deepest);
        QCOMPARE(tree.fold(), 1);
    }

    void nothingRuns() {
        Tree tree;
        tree.roots = {tree.add(ProgramKind::Sequence)};
        QCOMPARE(tree.fold(), 0);
        QVERIFY(tree.trace.runs.empty());
    }
};

TILESCOPE_TEST(ImportFoldTest)

} // namespace import_fold_test

#include "fold_test.moc"
