// Costs of programs with everything below them, and two trees side by side.
#include <QTest>

#include "core/analysis/programs/program_diff.h"
#include "core/analysis/programs/programs.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace program_tree_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Tree {
    explicit Tree(const SampleOptions& options)
        : profile(sampleProfile(options)) {
        update();
    }
    void update() {
        costs = programCosts(ProfileView(std::make_shared<const Profile>(profile)));
        roots = profile.controlPrograms;
        roots.insert(roots.end(), profile.functions.begin(), profile.functions.end());
    }
    [[nodiscard]] ProgramSide side() const { return {profile.programs, roots, costs}; }
    [[nodiscard]] ProgramId find(ProgramKind kind, const std::string& name = {}) const {
        for (std::size_t i = 0; i < profile.programs.size(); ++i) {
            const Program& p = profile.programs[ProgramId(i)];
            if (p.kind == kind && p.name.find(name) != std::string::npos)
                return ProgramId(i);
        }
        return {};
    }
    [[nodiscard]] const ProgramCost& cost(ProgramId id) const { return costs[id.index()]; }

    Profile profile;
    std::vector<ProgramCost> costs;
    std::vector<ProgramId> roots;
};

std::size_t count(const std::vector<ProgramMatch>& matches, ProgramChange change) {
    return static_cast<std::size_t>(
        std::count_if(matches.begin(), matches.end(),
                      [&](const ProgramMatch& match) { return match.change == change; }));
}

} // namespace

class ProgramTreeTest : public QObject {
    Q_OBJECT

private slots:
    void controlProgramsCostWhatIsBelowThem() {
        const Tree tree({});
        const ProgramId repeat = tree.find(ProgramKind::Repeat);
        const Program& program = tree.profile.programs[repeat];
        QCOMPARE(tree.cost(repeat).cycles, 10 * tree.cost(program.children.at(0)).cycles);
        QCOMPARE(tree.cost(repeat).total, tree.cost(repeat).cycles);
        const ProgramId call = tree.find(ProgramKind::Call);
        const ProgramId function = tree.profile.programs[call].target;
        QCOMPARE(tree.cost(call).cycles, tree.cost(function).cycles);
        QCOMPARE(tree.cost(call).executions, std::int64_t(10));
        QCOMPARE(tree.cost(call).total, 10 * tree.cost(function).cycles);
        const ProgramId convolve = tree.find(ProgramKind::OnTileExecute, "conv1/Convolve");
        QCOMPARE(tree.cost(convolve), (ProgramCost{12000, 10, 120000, 0}));
    }

    // Steps of several IPUs side by side: a part takes no longer than the whole.
    void aPartTakesNoLongerThanTheWhole() {
        Tree tree({.ipus = 2});
        Profile& p = tree.profile;
        const ProgramId loop = p.programs[tree.find(ProgramKind::Repeat)].children.at(0);
        Program part;
        part.kind = ProgramKind::Sequence;
        part.parent = loop;
        part.children = p.programs[loop].children;
        const ProgramId wrapped = p.programs.add(part);
        for (const ProgramId child : part.children)
            p.programs[child].parent = wrapped;
        p.programs[loop].children = {wrapped};
        for (TraceBody& body : p.trace.bodies)
            if (body.program == loop) {
                for (TraceStep& step : body.steps)
                    for (StepOnIpu& on : step.ipus)
                        on.start = 0;
                for (TraceCall& call : body.calls)
                    for (CallOnIpu& on : call.ipus)
                        on.start = 0;
            }
        tree.update();
        QCOMPARE(tree.cost(wrapped).total, tree.cost(loop).total);
        QCOMPARE(tree.cost(wrapped).cycles, tree.cost(loop).cycles);
        // Steps side by side are within the part, which makes up the whole.
        QVERIFY(tree.cost(wrapped).between < 0);
        QCOMPARE(tree.cost(loop).between, std::int64_t(0));
    }

    void withoutATraceThereAreEstimates() {
        const Tree tree({.tooLarge = true});
        const ProgramId convolve = tree.find(ProgramKind::OnTileExecute, "conv1/Convolve");
        QCOMPARE(tree.cost(convolve).cycles, sample::convCycles);
        QCOMPARE(tree.cost(convolve).executions, std::int64_t(0));
        QCOMPARE(tree.cost(convolve).total, std::int64_t(0));
    }

    // A profile with a trace is compared with one without by the figures that both have.
    void estimatesDoNotNeedATrace() {
        const auto estimated = [](const SampleOptions& options) {
            return programCosts(
                ProfileView(std::make_shared<const Profile>(sampleProfile(options))), {},
                CostBasis::Estimate);
        };
        const auto executed = estimated({});
        QVERIFY(executed == estimated({.tooLarge = true}));
        QVERIFY(std::all_of(executed.begin(), executed.end(),
                            [](const ProgramCost& cost) { return cost.executions == 0; }));
    }

    void aFunctionThatCallsItselfEnds() {
        Tree tree({});
        const ProgramId call = tree.find(ProgramKind::Call);
        const ProgramId function = tree.profile.programs[call].target;
        Program inner;
        inner.kind = ProgramKind::Call;
        inner.parent = function;
        inner.target = function;
        const ProgramId added = tree.profile.programs.add(inner);
        tree.profile.programs[function].children.push_back(added);
        tree.update();
        QVERIFY(tree.cost(function).cycles > 0);
    }

    void equalTreesAreTheSame() {
        const Tree tree({});
        const ProgramDiff diff = diffPrograms(tree.side(), tree.side());
        QCOMPARE(count(diff.source, ProgramChange::Same), tree.profile.programs.size());
        for (std::size_t i = 0; i < diff.source.size(); ++i)
            QCOMPARE(diff.source[i].other, ProgramId(i));
    }

    void anotherCountIsAChangeOfTheRepeat() {
        const Tree source({});
        const Tree target({.repeats = 20});
        const ProgramDiff diff = diffPrograms(source.side(), target.side());
        QCOMPARE(count(diff.source, ProgramChange::Only), std::size_t(0));
        const ProgramMatch& repeat = diff.source[source.find(ProgramKind::Repeat).index()];
        QVERIFY(repeat.change == ProgramChange::Changed);
        QCOMPARE(repeat.other, target.find(ProgramKind::Repeat));
    }

    void whatOneSideLacksIsOnlyOnTheOther() {
        const Tree source({});
        Tree target({});
        const ProgramId convolve = target.find(ProgramKind::OnTileExecute, "conv1/Convolve");
        auto& siblings = target.profile.programs[target.profile.programs[convolve].parent].children;
        std::erase(siblings, convolve);
        target.update();
        const ProgramDiff diff = diffPrograms(source.side(), target.side());
        QVERIFY(diff.source[convolve.index()].change == ProgramChange::Only);
        QCOMPARE(count(diff.source, ProgramChange::Only), std::size_t(1));
        // The program after it still finds its counterpart.
        const ProgramId behind = source.find(ProgramKind::OnTileExecute, "prob");
        if (behind.valid())
            QVERIFY(diff.source[behind.index()].other.valid());
    }

    // A different number in front of a name does not count as a change, a different name does.
    void numbersInNamesDoNotCount() {
        Tree source({});
        Tree target({});
        const ProgramId moved = source.find(ProgramKind::DoExchange);
        source.profile.programs[moved].name = "cs3_conv1/ExchangePre";
        target.profile.programs[moved].name = "cs14_conv1/ExchangePre";
        QVERIFY(diffPrograms(source.side(), target.side()).source[moved.index()].change ==
                ProgramChange::Same);
        target.profile.programs[moved].name = "cs3_conv2/ExchangePre";
        QVERIFY(diffPrograms(source.side(), target.side()).source[moved.index()].change ==
                ProgramChange::Changed);
        // Only whole numbers are.
        source.profile.programs[moved].name = "cs3b_conv1";
        target.profile.programs[moved].name = "cs4b_conv1";
        QVERIFY(diffPrograms(source.side(), target.side()).source[moved.index()].change ==
                ProgramChange::Changed);
    }

    void matchesAreMutual() {
        const Tree source({});
        const Tree target({.changed = true});
        const ProgramDiff diff = diffPrograms(source.side(), target.side());
        QVERIFY(count(diff.source, ProgramChange::Changed) > 0);
        for (std::size_t i = 0; i < diff.source.size(); ++i)
            if (diff.source[i].other.valid())
                QCOMPARE(diff.target[diff.source[i].other.index()].other, ProgramId(i));
    }
};

TILESCOPE_TEST(ProgramTreeTest)

} // namespace program_tree_test

#include "program_tree_test.moc"
