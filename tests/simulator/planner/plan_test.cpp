// Plans: legal, within bounds, and the best possible.
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include <QtTest>

#include "core/base/ceil_div.h"
#include "simulator/planner/planner.h"
#include "simulator/planner/search.h"
#include "simulator/planner/transform.h"
#include "support/any_problem.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace plan_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

Target withTiles(const std::string& name, std::int32_t tiles) {
    Target target = targetPreset(name);
    target.tilesPerIpu = tiles;
    return target;
}

ConvProblem anyPassOf(std::int64_t most) {
    return *rc::gen::arbitrary<bool>() ? anyGradient(most) : anyProblem(most);
}

/// Parts of the fullest tile's size, as many as there are, hold all of a dimension.
void checkCover(const ConvPlan& plan) {
    const ConvProblem& p = plan.problem;
    const ConvSplits& s = plan.splits;
    const ConvTileSizes sizes = plan.tileSizes();
    RC_ASSERT(sizes.groups * s.groups >= p.groups);
    RC_ASSERT(sizes.batch * s.batch >= p.batch);
    RC_ASSERT(sizes.inChans * s.inChans * s.inChansSerial >= p.inChans);
    RC_ASSERT(sizes.outChans * s.outChans * s.outChansSerial >= p.outChans);
    for (std::size_t d = 0; d < p.field.size(); ++d) {
        RC_ASSERT(sizes.outField[d] * s.field[d] >= p.field[d].out);
        RC_ASSERT(sizes.kernel[d] * s.kernel[d] >= p.field[d].kernel);
        RC_ASSERT(sizes.inField[d] <= p.field[d].in);
    }
}

void checkPlan(const Target& target, const ConvProblem& problem, double proportion,
               const ConvPlan& plan) {
    checkCover(plan);
    RC_ASSERT(plan.splits.tiles() >= 1);
    RC_ASSERT(plan.splits.tiles() <= target.tilesPerIpu);
    for (const std::int64_t term : {plan.cost.exchange, plan.cost.compute, plan.cost.reduce,
                                    plan.cost.serial, plan.cost.rearrange, plan.cost.tempBytes})
        RC_ASSERT(term >= 0);
    RC_ASSERT(plan.cost.compute > 0);
    const bool within = plan.cost.tempBytes <= memoryBound(target, proportion);
    RC_ASSERT(plan.withinMemoryTarget == within);
    RC_ASSERT(plan.splits.outChansSerial == 1 || plan.splits.inChansSerial == 1);
    const std::vector<TransformedProblem> forms = transformsOf(problem);
    const auto isCandidate = [&](const TransformedProblem& form) {
        const auto candidates = methodCandidates(target, form.problem);
        return std::any_of(candidates.begin(), candidates.end(), [&](const MethodCandidate& c) {
            return c.method == plan.method && c.convUnits == plan.convUnits &&
                   c.grains == plan.grains && plannedProblem(form.problem, c) == plan.problem &&
                   (!c.oneInPiece || plan.tileSizes().inChans == c.grains.inChans) &&
                   (!c.oneOutPiece || plan.tileSizes().outChans == c.grains.outChans) &&
                   plan.cost == convCost(target, plan.problem, c, plan.tileSizes(), plan.splits,
                                         plan.transform);
        });
    };
    RC_ASSERT(std::any_of(forms.begin(), forms.end(), [&](const TransformedProblem& form) {
        return form.transform == plan.transform && isCandidate(form);
    }));
}

/// Every partition of a dimension of `size` that changes its largest part.
void forParts(std::int64_t size, std::int64_t most, const std::function<void(std::int64_t)>& use) {
    for (std::int64_t parts = 1; parts <= std::min(size, most); ++parts)
        if (parts == 1 || ceilDiv(size, parts) != ceilDiv(size, parts - 1))
            use(parts);
}

/// The best plan by trying them all. `serial` is the same loop for the loop over slices.
class BruteForce {
public:
    BruteForce(const Target& target, const ConvProblem& problem, double proportion,
               const PlanGoal& goal = {})
        : target_(target)
        , problem_(problem)
        , bound_(memoryBound(target, proportion))
        , goal_(goal) {}

    /// What the goal has least within the bound, with loops or without; none if nothing is.
    std::optional<CostKey> best() {
        search(true);
        return best_;
    }
    [[nodiscard]] std::int64_t leastBytes() const { return leastBytes_; }

private:
    void search(bool serial) {
        for (const TransformedProblem& form : transformsOf(problem_)) {
            for (const MethodCandidate& candidate : methodCandidates(target_, form.problem)) {
                const ConvProblem planned = plannedProblem(form.problem, candidate);
                tryAll(planned, candidate, form.transform, 1, 1);
                if (!serial || form.transform.combinedGroups > 1)
                    continue;
                for (std::int64_t s = 2; s <= planned.outChans; ++s)
                    if (planned.outChans % s == 0 &&
                        s <= ceilDiv(planned.outChans, candidate.grains.outChans))
                        tryAll(planned, candidate, form.transform, s, 1);
                for (std::int64_t s = 2; s <= planned.inChans; ++s)
                    if (planned.inChans % s == 0 &&
                        s <= ceilDiv(planned.inChans, candidate.grains.inChans))
                        tryAll(planned, candidate, form.transform, 1, s);
            }
        }
    }

    void tryAll(const ConvProblem& p, const MethodCandidate& m, const ConvTransform& transform,
                std::int64_t outSerial, std::int64_t inSerial) {
        const std::int64_t most = target_.tilesPerIpu;
        ConvSplits s;
        s.outChansSerial = outSerial;
        s.inChansSerial = inSerial;
        s.field.assign(p.field.size(), 1);
        s.kernel.assign(p.field.size(), 1);
        std::vector<std::pair<std::int64_t, std::int64_t*>> dims{
            {ceilDiv(p.groups, m.grains.groups), &s.groups},
            {ceilDiv(ceilDiv(p.outChans, outSerial), m.grains.outChans), &s.outChans},
            {ceilDiv(ceilDiv(p.inChans, inSerial), m.grains.inChans), &s.inChans},
            {p.batch, &s.batch}};
        for (std::size_t d = 0; d < p.field.size(); ++d) {
            const std::int64_t grain = d + 1 == p.field.size() ? m.grains.field : 1;
            dims.emplace_back(ceilDiv(p.field[d].out, grain), &s.field[d]);
            if (d + 1 < p.field.size())
                dims.emplace_back(p.field[d].kernel, &s.kernel[d]);
        }
        const std::function<void(std::size_t)> cut = [&](std::size_t at) {
            if (s.tiles() > most)
                return;
            if (at == dims.size()) {
                const ConvTileSizes sizes = tileSizes(p, m.grains, s);
                if ((m.oneInPiece && sizes.inChans > m.grains.inChans) ||
                    (m.oneOutPiece && sizes.outChans > m.grains.outChans))
                    return;
                if (transform.combinedGroups > 1 && s.inChans * s.outChans > 1)
                    return;
                const ConvCost cost = convCost(target_, p, m, sizes, s, transform);
                leastBytes_ = std::min(leastBytes_, cost.tempBytes);
                const CostKey key = costKey(goal_, cost, s.tiles());
                if (cost.tempBytes <= bound_ && cost.cycles() <= goal_.mostCycles &&
                    (!best_ || key < *best_))
                    best_ = key;
                return;
            }
            forParts(dims[at].first, most, [&](std::int64_t parts) {
                *dims[at].second = parts;
                cut(at + 1);
            });
            *dims[at].second = 1;
        };
        cut(0);
    }

    const Target& target_;
    const ConvProblem& problem_;
    std::int64_t bound_;
    PlanGoal goal_;
    std::optional<CostKey> best_;
    std::int64_t leastBytes_ = std::numeric_limits<std::int64_t>::max();
};

ConvProblem gemm(std::int64_t m, std::int64_t k, std::int64_t n) {
    ConvProblem problem;
    problem.matMul = true;
    FieldDim rows;
    rows.in = rows.out = m;
    problem.field = {rows};
    problem.inChans = k;
    problem.outChans = n;
    problem.inType = problem.outType = problem.partialType = DataType::Half;
    return problem;
}

} // namespace

class PlanTest : public QObject {
    Q_OBJECT

private slots:
    // What leaves most partitions out without counting their work.
    void theLeastWorkIsNoMoreThanTheWork() {
        QVERIFY(holds("lower bounds of the vertices' cycles", 60, [] {
            const Target target = withTiles(*rc::gen::element<std::string>("mk1", "mk2"),
                                            static_cast<std::int32_t>(anyFrom(1, 300)));
            const ConvProblem problem = anyPassOf(600);
            for (const ConvPlan& plan : bestPlansByMethod(target, problem, 0.6, 5)) {
                MethodCandidate candidate;
                candidate.method = plan.method;
                candidate.convUnits = plan.convUnits;
                candidate.grains = plan.grains;
                candidate.partialType = plan.problem.partialType;
                const LeastConvCycles least = leastConvCycles(target, plan.problem, candidate);
                const ConvTileSizes sizes = plan.tileSizes();
                const auto weights = static_cast<double>(sizes.weightElements());
                const double macs = weights * static_cast<double>(sizes.batch) *
                                    std::accumulate(sizes.outField.begin(), sizes.outField.end(),
                                                    1.0, std::multiplies<>());
                const double bound = macs * least.perMac + weights * least.perWeight;
                const auto work = static_cast<double>(plan.cost.compute) /
                                  static_cast<double>(plan.splits.serialSteps());
                RC_LOG() << describe(plan.problem) << " " << plan.toJson() << "\n";
                RC_ASSERT(bound <= work * (1 + 1e-9));
            }
        }));
    }

    void anyProblemGetsALegalPlan() {
        QVERIFY(holds("legal plans", 60, [] {
            const Target target = withTiles(*rc::gen::element<std::string>("mk1", "mk2"),
                                            static_cast<std::int32_t>(anyFrom(1, 300)));
            const ConvProblem problem = anyPassOf(600);
            const double proportion = *rc::gen::element(0.6, 0.1, 0.01, 0.0, 1.0);
            RC_LOG() << describe(problem) << " proportion " << proportion << "\n";
            checkPlan(target, problem, proportion, planConv(target, problem, proportion));
        }));
    }

    void hugeProblemsDoNotOverflow() {
        for (const ConvProblem& problem :
             {gemm(1 << 20, 1 << 14, 1 << 17), gemm(1, 1 << 20, 1 << 20), gemm(1 << 24, 1, 1)}) {
            const ConvPlan plan = planConv(targetPreset("mk2"), problem, 0.6);
            QVERIFY(plan.cost.cycles() > 0 && plan.cost.tempBytes > 0);
            QVERIFY(static_cast<double>(plan.cost.compute) * 64 * 1472 >= problem.macs());
        }
    }

    void noPlanIsBetter() {
        QVERIFY(holds("best plan", 60, [] {
            const Target target = withTiles("mk2", static_cast<std::int32_t>(anyFrom(1, 12)));
            const ConvProblem problem = anyPassOf(70);
            const double proportion = *rc::gen::element(0.6, 0.05, 0.005, 0.001);
            RC_LOG() << describe(problem) << " proportion " << proportion << "\n";
            const ConvPlan plan = planConv(target, problem, proportion);
            BruteForce all(target, problem, proportion);
            const auto best = all.best();
            RC_ASSERT(best.has_value() == plan.withinMemoryTarget);
            if (best) {
                RC_ASSERT(plan.cost.cycles() == best->first);
                RC_ASSERT(plan.cost.tempBytes == best->second);
            } else {
                RC_ASSERT(plan.cost.tempBytes == all.leastBytes());
            }
        }));
    }

    /// Goals of convolutions that run at the same time.
    void noPlanIsBetterTogether() {
        QVERIFY(holds("best plan beside others", 60, [] {
            const Target target = withTiles("mk2", static_cast<std::int32_t>(anyFrom(1, 12)));
            const ConvProblem problem = anyPassOf(70);
            constexpr double proportion = 0.6;
            const ConvPlan fastest = planConv(target, problem, proportion);
            PlanGoal goal{*rc::gen::element(Objective::Tiles, Objective::Excess)};
            goal.fewestTiles = *rc::gen::arbitrary<bool>();
            if (goal.objective == Objective::Tiles)
                goal.mostCycles = fastest.cost.cycles() * anyFrom(10, 30) / 10;
            else
                goal.others = planConv(target, anyPassOf(70), proportion).cost;
            RC_LOG() << describe(problem) << "\n";
            const std::int64_t bound = memoryBound(target, proportion);
            const auto plan = bestPlan(target, problem, goal, bound, Slices::None);
            RC_PRE(plan.has_value());
            const auto best = BruteForce(target, problem, proportion, goal).best();
            RC_ASSERT(best.has_value());
            RC_ASSERT(costKey(goal, plan->cost, plan->splits.tiles()) == *best);
        }));
    }

    void lessMemoryNeverTakesMore() {
        QVERIFY(holds("proportions", 20, [] {
            const Target target = withTiles("mk2", static_cast<std::int32_t>(anyFrom(1, 100)));
            const ConvProblem problem = anyProblem(400);
            RC_LOG() << describe(problem) << "\n";
            std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
            std::int64_t cycles = 0;
            for (const double proportion : {0.9, 0.5, 0.2, 0.05, 0.01, 0.002, 0.0}) {
                const ConvPlan plan = planConv(target, problem, proportion);
                RC_ASSERT(plan.cost.tempBytes <= bytes);
                bytes = plan.cost.tempBytes;
                if (plan.withinMemoryTarget && plan.splits.serialSteps() == 1) {
                    RC_ASSERT(plan.cost.cycles() >= cycles);
                    cycles = plan.cost.cycles();
                }
            }
        }));
    }

    /// Published: the largest tile of this product holds 6,864 partials, 286 positions of 24
    /// channels.
    void publishedGemm() {
        ConvProblem problem = gemm(1000, 64, 10'000);
        problem.partialType = DataType::Float;
        const ConvPlan plan = planConv(targetPreset("mk2"), problem, 0.6);
        QVERIFY(plan.transform.swapOperands);
        QVERIFY(plan.method == ConvMethod::Amp);
        QCOMPARE(plan.splits.outChans, 42);
        QCOMPARE(plan.splits.field, std::vector<std::int64_t>{35});
        QCOMPARE(plan.splits.inChans, 1);
        QCOMPARE(plan.splits.serialSteps(), 1);
    }

    /// A stride without a kernel is left out of the input, after which all positions are one row.
    void stridesAreFolded() {
        ConvProblem problem = gemm(1, 256, 128);
        problem.matMul = false;
        FieldDim strided;
        strided.in = 56;
        strided.out = 28;
        strided.stride = 2;
        problem.field = {strided, strided};
        problem.batch = 4;
        const auto forms = transformsOf(problem);
        const auto flat = std::find_if(forms.begin(), forms.end(), [](const auto& form) {
            return form.problem.field.size() == 1 && !form.transform.swapOperands;
        });
        QVERIFY(flat != forms.end());
        QCOMPARE(flat->problem.field.front().out, 4 * 28 * 28);
        QVERIFY(isSingleRow(flat->problem));
        QVERIFY(!isSingleRow(problem));
        QCOMPARE(planConv(targetPreset("mk2"), problem, 0.6).problem.field.size(), std::size_t{1});
    }

    /// Dimensions that join others do so in the place of the innermost of them.
    void flattenedInPlace() {
        ConvProblem problem = gemm(1, 16, 16);
        problem.matMul = false;
        FieldDim plain, window;
        plain.in = plain.out = 20;
        window.in = 30;
        window.out = 24;
        window.kernel = 7;
        problem.batch = 3;
        const auto unexpanded = [&](std::vector<FieldDim> field) {
            problem.field = std::move(field);
            for (const TransformedProblem& form : transformsOf(problem))
                if (form.transform.expandedDims.empty() && !form.transform.swapOperands)
                    return form;
            return TransformedProblem{};
        };
        const TransformedProblem rowKernel = unexpanded({plain, window});
        QCOMPARE(rowKernel.transform.flattenedAt, std::size_t{0});
        QCOMPARE(rowKernel.problem.field.front().out, 60);
        QCOMPARE(rowKernel.problem.field.back().kernel, 7);
        const TransformedProblem columnKernel = unexpanded({window, plain});
        QCOMPARE(columnKernel.transform.flattenedAt, std::size_t{1});
        QCOMPARE(columnKernel.problem.field.back().out, 60);
    }

    /// Where nothing fits, the smallest plan is taken, however little was allowed.
    void belowWhatIsPossible() {
        const ConvProblem problem = gemm(4096, 4096, 4096);
        const ConvPlan one = planConv(targetPreset("mk2"), problem, 0.01);
        const ConvPlan half = planConv(targetPreset("mk2"), problem, 0.005);
        QVERIFY(!one.withinMemoryTarget);
        QVERIFY(!half.withinMemoryTarget);
        QVERIFY(one.splits == half.splits);
        QVERIFY(one.cost == half.cost);
    }

    /// The other second phase: the first doubled bound that a plan keeps to, and its fastest plan.
    void relaxedTarget() {
        const ConvProblem problem = gemm(4096, 4096, 4096);
        const Target target = targetPreset("mk2");
        const ConvPlan plan = planConv(target, problem, 0.01, OverMemory::Relax);
        QVERIFY(!plan.withinMemoryTarget);
        double proportion = 0.01;
        while (!planConv(target, problem, proportion).withinMemoryTarget)
            proportion *= 2;
        QVERIFY(proportion > 0.01);
        const ConvPlan expected = planConv(target, problem, proportion);
        QVERIFY(plan.splits == expected.splits);
        QVERIFY(plan.cost == expected.cost);
        const ConvPlan smallest = planConv(target, problem, 0.01);
        QVERIFY(plan.cost.tempBytes > smallest.cost.tempBytes);
        QVERIFY(plan.cost.cycles() < smallest.cost.cycles());
        // A target that can be met is not relaxed.
        QVERIFY(planConv(target, problem, 0.6, OverMemory::Relax).withinMemoryTarget);
    }

    void bestOfEachMethod() {
        ConvProblem problem = gemm(64, 64, 64);
        const auto plans = bestPlansByMethod(targetPreset("mk2"), problem, 0.6, 3);
        QVERIFY(plans.size() >= 6);
        const ConvPlan best = planConv(targetPreset("mk2"), problem, 0.6);
        QVERIFY(plans.front().cost == best.cost);
        for (std::size_t i = 1; i < plans.size(); ++i)
            if (plans[i].method == plans[i - 1].method)
                QVERIFY(plans[i].cost.cycles() >= plans[i - 1].cost.cycles());
    }

    void jsonNamesTheChoice() {
        const std::string json = planConv(targetPreset("mk2"), gemm(8, 64, 32), 0.6).toJson();
        for (const char* part : {"\"method\":\"AMP\"", "\"partition\":{", "\"estimate\":{",
                                 "\"planner\":{", "\"withinMemoryTarget\":true"})
            QVERIFY2(json.find(part) != std::string::npos, json.c_str());
    }
};

TILESCOPE_TEST(PlanTest)

} // namespace plan_test

#include "plan_test.moc"
