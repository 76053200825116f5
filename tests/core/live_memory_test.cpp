// Live memory over time against an execution that is followed step by step.
#include "core/analysis/counters/live_memory.h"

#include <QTest>
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/analysis/counters/counter_columns.h"
#include "core/analysis/liveness/liveness.h"
#include "tests/support/random_repeats.h"
#include "tests/support/sample_profile.h"
#include "tests/support/scale_profile.h"
#include "tests/support/test_main.h"

namespace live_memory_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

/// The program tree as the liveness order goes through it: each leaf by the calls around it, or
/// by itself where functions are in the order once.
class Order {
public:
    explicit Order(const Profile& profile)
        : profile_(profile) {
        for (const ProgramId root : profile.controlPrograms)
            walk(root);
        atCalls_ = steps_.size() == profile.steps.size();
    }
    [[nodiscard]] std::size_t stepOf(const ExecutedStep& step) const {
        if (!atCalls_)
            return static_cast<std::size_t>(
                std::find(profile_.steps.begin(), profile_.steps.end(), step.program) -
                profile_.steps.begin());
        std::vector<ProgramId> chain;
        for (const ProgramId caller : step.callers)
            if (profile_.programs[caller].kind == ProgramKind::Call)
                chain.push_back(caller);
        return steps_.at({chain, step.program});
    }
    [[nodiscard]] bool atCalls() const { return atCalls_; }
    /// The order with functions at each of their calls.
    [[nodiscard]] IdVector<StepId, ProgramId> steps() const {
        IdVector<StepId, ProgramId> all;
        std::vector<ProgramId> programs(steps_.size());
        for (const auto& [key, step] : steps_)
            programs[step] = key.second;
        for (const ProgramId program : programs)
            all.add(program);
        return all;
    }

private:
    void walk(ProgramId id) {
        const Program& program = profile_.programs[id];
        if (!isControl(program.kind)) {
            const std::size_t step = steps_.size();
            steps_.emplace(std::pair(chain_, id), step);
        }
        if (program.kind == ProgramKind::Call) {
            chain_.push_back(id);
            walk(program.target);
            chain_.pop_back();
        }
        for (const ProgramId child : program.children)
            walk(child);
    }
    const Profile& profile_;
    bool atCalls_ = false;
    std::vector<ProgramId> chain_;
    std::map<std::pair<std::vector<ProgramId>, ProgramId>, std::size_t> steps_;
};

/// The steps of an IPU that have a program and take time, one by one.
struct Ran {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t bytes = 0; ///< live, without what always is
};
std::vector<Ran> stepsOf(const Profile& profile, const TraceIndex& index, IpuId ipu) {
    const Order order(profile);
    const LivenessCurve curve = livenessCurveOf(profile);
    std::vector<Ran> ran;
    for (std::int64_t i = 0; i < index.stepCount(); ++i) {
        const ExecutedStep step = index.stepAt(i);
        for (const StepOnIpu& on : step.ipus)
            if (on.ipu == ipu && step.program.valid() && on.cycles > 0)
                ran.push_back(
                    {on.start, on.start + on.cycles, curve.byIpu[ipu.index()][order.stepOf(step)]});
    }
    return ran;
}

/// What an IPU holds at a cycle: the largest running step, or else the one that began last.
std::int64_t heldAt(const std::vector<Ran>& steps, std::int64_t cycle) {
    std::optional<std::int64_t> running;
    std::int64_t held = 0;
    std::int64_t since = -1;
    for (const Ran& step : steps) {
        if (step.begin > cycle)
            continue;
        if (step.end > cycle)
            running = std::max(running.value_or(step.bytes), step.bytes);
        if (step.begin >= since)
            held = step.begin == since ? std::max(held, step.bytes) : step.bytes;
        since = std::max(since, step.begin);
    }
    return running.value_or(held);
}

/// Of the moments at which anything begins or ends on one of the IPUs.
class Moments {
public:
    explicit Moments(const std::vector<std::vector<Ran>>& ipus, std::int64_t earliest) {
        std::set<std::int64_t> cycles{earliest};
        for (const std::vector<Ran>& steps : ipus)
            for (const Ran& step : steps)
                cycles.insert({step.begin, step.end});
        for (const std::int64_t cycle : cycles) {
            std::int64_t sum = 0;
            for (const std::vector<Ran>& steps : ipus)
                sum += heldAt(steps, cycle);
            sums_[cycle] = sum;
        }
    }
    [[nodiscard]] LiveExtremes in(const CycleRange& range) const {
        auto moment = std::prev(sums_.upper_bound(range.begin));
        LiveExtremes found{moment->second, moment->second};
        for (; moment != sums_.end() && moment->first < range.end; ++moment) {
            found.least = std::min(found.least, moment->second);
            found.most = std::max(found.most, moment->second);
        }
        return found;
    }

private:
    std::map<std::int64_t, std::int64_t> sums_; ///< by the cycle from which on
};

/// The sample with its function at each of its calls, as the simulator writes it, and variables of
/// different size at each step.
Profile withFunctionsAtCalls() {
    Profile profile = sampleProfile({.ipus = 2});
    profile.steps = Order(profile).steps();
    profile.livenessClasses = {};
    profile.variables = {};
    for (std::size_t step = 0; step < profile.steps.size(); ++step) {
        LivenessClass live;
        live.intervals.push_back({StepId(step), StepId(step + 1)});
        Variable variable;
        variable.name = "v" + std::to_string(step);
        variable.liveness = profile.livenessClasses.add(live);
        const auto tiles = profile.info.target.totalTiles();
        variable.bytes =
            TileSeries(TileId(0), tiles, 100 + static_cast<std::int64_t>(step * step % 31));
        profile.variables.add(std::move(variable));
    }
    return profile;
}

std::int64_t alwaysLive(const Profile& profile, IpuId ipu) {
    return alwaysLiveBytes(profile.tileMemory,
                           TileSelection::ofIpu(ipu).range(profile.info.target));
}

const std::vector<std::int64_t> columnCounts{1, 2, 7, 40, 333, 1500};

} // namespace

class LiveMemoryTest : public QObject {
    Q_OBJECT

    const Profile p_ = sampleProfile({.ipus = 2});
    const std::shared_ptr<const ProfileView> view_ = ProfileView::of(p_);
    const std::int64_t total_ = view_->trace()->totalCycles();

    void verifyLive(const Profile& profile) const {
        const auto view = ProfileView::of(profile);
        const LiveMemory memory(*view, {});
        const std::int64_t total = view->trace()->totalCycles();
        std::vector<std::vector<Ran>> steps;
        std::vector<IpuId> all;
        for (std::int32_t i = 0; i < profile.info.target.ipus; ++i) {
            steps.push_back(stepsOf(profile, *view->trace(), IpuId(i)));
            all.emplace_back(i);
        }
        std::vector<std::vector<IpuId>> sets{all};
        for (const IpuId ipu : all)
            sets.push_back({ipu});
        for (const std::vector<IpuId>& ipus : sets) {
            std::vector<std::vector<Ran>> of;
            std::int64_t always = 0;
            for (const IpuId ipu : ipus) {
                of.push_back(steps[ipu.index()]);
                always += alwaysLive(profile, ipu);
            }
            constexpr std::int64_t early = -10'000;
            const Moments moments(of, early);
            for (const CycleRange range :
                 {CycleRange{0, total}, CycleRange{total / 3, total / 2},
                  CycleRange{total / 7, total / 7 + 40}, CycleRange{early / 2, total + 5000},
                  CycleRange{total - total / 9, total + 100}})
                for (const std::int64_t wanted : {1, 7, 40, 333}) {
                    const CycleColumns columns(range, wanted);
                    const LiveColumns live = memory.columns(ipus, columns);
                    QVERIFY(live.exact);
                    for (std::size_t i = 0; i < columns.count(); ++i) {
                        const auto [least, most] = moments.in(columns.at(i));
                        QCOMPARE(live.columns[i].least, always + least);
                        QCOMPARE(live.columns[i].most, always + most);
                    }
                }
        }
    }

private slots:
    void liveMemoryIsThatOfTheStepsThatRun() {
        QVERIFY(!Order(p_).atCalls());
        verifyLive(p_);
        const Profile called = withFunctionsAtCalls();
        QVERIFY(Order(called).atCalls());
        QVERIFY(called.steps.size() > p_.steps.size());
        verifyLive(called);
    }

    void itsLargestIsThePeakOfTheStepsThatRun() {
        const LiveMemory memory(*view_, {});
        for (const IpuId ipu : {IpuId(0), IpuId(1)}) {
            std::int64_t peak = 0;
            for (const Ran& step : stepsOf(p_, *view_->trace(), ipu))
                peak = std::max(peak, step.bytes);
            QVERIFY(peak > 0);
            for (const std::int64_t wanted : columnCounts) {
                std::int64_t most = 0;
                for (const LiveExtremes& column : memory.columns(ipu, {{0, total_}, wanted}))
                    most = std::max(most, column.most);
                QCOMPARE(most, alwaysLive(p_, ipu) + peak);
            }
            // The whole sample runs, so this is the peak of Liveness.
            QCOMPARE(alwaysLive(p_, ipu) + peak,
                     livenessOf(*view_, TileSelection::ofIpu(ipu)).peak());
        }
    }

    // IPUs that have most at different moments never have both together, however wide a column is.
    void theMostOfSeveralIsThatOfAMoment() {
        verifyLive(scaleProfile({.steps = 1500, .ipus = 3, .variables = 200, .tilesPerIpu = 8}));
        bool apart = false;
        for (const std::uint32_t seed : {1, 2, 3}) {
            const Profile profile = randomRepeats(seed);
            const auto view = ProfileView::of(profile);
            const std::int64_t total = view->trace()->totalCycles();
            const std::vector<IpuId> all{IpuId(0), IpuId(1), IpuId(2)};
            std::set<std::int64_t> mosts;
            for (const std::int64_t wanted : columnCounts) {
                const CounterColumns counters(*view, all, {{0, total}, wanted});
                std::int64_t most = 0;
                for (const LiveExtremes& column : counters.live())
                    most = std::max(most, column.most);
                mosts.insert(most);
            }
            QCOMPARE(mosts.size(), std::size_t(1));
            std::int64_t ofEach = 0;
            for (const IpuId ipu : all)
                ofEach += CounterColumns(*view, {ipu}, {{0, total}, 1}).live().front().most;
            QVERIFY(*mosts.begin() <= ofEach);
            apart = apart || *mosts.begin() < ofEach;
        }
        QVERIFY(apart);
    }

    // Wide columns are read in passes over many steps, whose cells are kept; narrow ones directly.
    void aColumnHasTheExtremesOfItsParts() {
        const Profile profile =
            scaleProfile({.steps = 150'000, .ipus = 3, .variables = 200, .tilesPerIpu = 8});
        const auto view = ProfileView::of(profile);
        const std::int64_t total = view->trace()->totalCycles();
        const std::vector<IpuId> all{IpuId(0), IpuId(1), IpuId(2)};
        const LiveMemory memory(*view, {});
        constexpr std::int64_t parts = 100;
        for (const CycleRange range : {CycleRange{total / 3, total / 2}, CycleRange{0, total},
                                       CycleRange{total / 7, total - total / 9},
                                       CycleRange{-total / 50, total + total / 50}})
            for (const std::int64_t wanted : {1, 13, 150}) {
                const auto wide = memory.columns(all, CycleColumns(range, wanted)).columns;
                const auto narrow =
                    LiveMemory(*view, {}).columns(all, {range, wanted * parts}).columns;
                QCOMPARE(narrow.size(), wide.size() * parts);
                for (std::size_t i = 0; i < wide.size(); ++i) {
                    LiveExtremes found = narrow[i * parts];
                    for (std::size_t part = i * parts; part < (i + 1) * parts; ++part) {
                        found.least = std::min(found.least, narrow[part].least);
                        found.most = std::max(found.most, narrow[part].most);
                    }
                    QCOMPARE(wide[i].least, found.least);
                    QCOMPARE(wide[i].most, found.most);
                }
            }
    }

    // Bodies that repeat others, together or each IPU at its own pace, with steps that overlap.
    void repetitionsAreAsIfTheyWereUnrolled() {
        constexpr std::int64_t mostSteps = 1500; // are followed one by one
        int tried = 0;
        for (std::uint32_t seed = 0; tried < 40; ++seed) {
            const Profile profile = randomRepeats(seed);
            if (ProfileView::of(profile)->trace()->stepCount() > mostSteps)
                continue;
            ++tried;
            verifyLive(profile);
            if (QTest::currentTestFailed())
                QFAIL(qPrintable(QString("seed %1").arg(seed)));
        }
    }
};

TILESCOPE_TEST(LiveMemoryTest)

} // namespace live_memory_test

#include "live_memory_test.moc"
