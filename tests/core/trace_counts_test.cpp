// Executions counted by multiplication equal those counted one by one; the raster of tiles says
// what each tile does.
#include <QTest>
#include <array>
#include <numeric>
#include <optional>

#include "core/base/error.h"
#include "core/trace/range_programs.h"
#include "core/trace/tile_raster.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace trace_counts_test {
using namespace tilescope;
using namespace tilescope::test;

class TraceCountsTest : public QObject {
    Q_OBJECT
    Profile p_ = sampleProfile({.ipus = 2});
    TraceIndex index_{p_.trace, 2, 1472};

    [[nodiscard]] ProgramSet named(const std::string& part) const {
        ProgramSet wanted(p_.programs.size(), false);
        for (std::size_t i = 0; i < wanted.size(); ++i)
            wanted[i] = p_.programs[ProgramId(i)].name.find(part) != std::string::npos;
        return wanted;
    }
    [[nodiscard]] bool isWanted(const ProgramSet& wanted, std::int64_t step) const {
        const ProgramId program = index_.stepAt(step).program;
        return program.valid() && wanted[program.index()];
    }
    [[nodiscard]] TileSources sources() const {
        return {p_.programs, p_.computeSets, p_.exchanges, p_.streams, 1472};
    }
    /// The first execution of the step with this name.
    [[nodiscard]] ExecutedStep first(const std::string& name) const {
        return index_.stepAt(index_.findAny(named(name), -1));
    }

private slots:
    void countsAndFinds_data() {
        QTest::addColumn<QString>("part");
        for (const char* part : {"layer1/conv", "Convolve", "h2d", "nothing like it", ""})
            QTest::newRow(part) << QString(part);
    }
    void countsAndFinds() {
        QFETCH(QString, part);
        const ProgramSet wanted = named(part.toStdString());
        std::int64_t before = 0;
        std::int64_t last = -1;
        for (std::int64_t step = 0; step < index_.stepCount(); ++step) {
            QCOMPARE(index_.countAny(wanted, step), before);
            QCOMPARE(index_.findAny(wanted, step, false), last);
            if (!isWanted(wanted, step))
                continue;
            QCOMPARE(index_.findAny(wanted, last), step);
            last = step;
            ++before;
        }
        QCOMPARE(index_.findAny(wanted, last), std::int64_t(-1));
        QCOMPARE(index_.countAny(wanted, index_.stepCount()), before);
        QCOMPARE(index_.countAny({}, index_.stepCount()), std::int64_t(0));
    }

    void executionsEqualThoseOneByOne() {
        std::vector<ProgramExecutions> expected(p_.programs.size());
        for (std::int64_t step = 0; step < index_.stepCount(); ++step) {
            const ExecutedStep executed = index_.stepAt(step);
            if (!executed.program.valid())
                continue;
            std::int64_t cycles = 0;
            for (const StepOnIpu& on : executed.ipus)
                cycles = std::max(cycles, on.cycles);
            ++expected[executed.program.index()].count;
            expected[executed.program.index()].cycles += cycles;
        }
        const auto counted = index_.executions(p_.programs.size());
        for (std::size_t i = 0; i < counted.size(); ++i) {
            const ProgramKind kind = p_.programs[ProgramId(i)].kind;
            if (!isControl(kind))
                QVERIFY2(counted[i] == expected[i], p_.programs[ProgramId(i)].name.c_str());
            if (kind == ProgramKind::Call) // twice in each of ten repetitions
                QCOMPARE(counted[i].count, std::int64_t(10));
        }
    }

    void aMillionRepetitionsCountAtOnce() {
        const Profile long1 = sampleProfile({.repeats = 1'000'000});
        const TraceIndex index(long1.trace, 1, 1472);
        const auto counted = index.executions(long1.programs.size());
        QVERIFY(std::any_of(counted.begin(), counted.end(),
                            [](const ProgramExecutions& e) { return e.count >= 1'000'000; }));
    }

    void efficiencyIsOfComputeOnly() {
        const ExecutedStep step = first("conv1/Convolve");
        const StepOnIpu& on = step.ipus.front();
        const TraceStatistics compute = index_.statistics(on.ipu, {on.start, on.start + on.cycles});
        QCOMPARE(compute.parallelEfficiency, compute.tileBalance);
        QVERIFY(compute.parallelEfficiency > 0 && compute.parallelEfficiency < 1);
        const TraceStatistics more = index_.statistics(on.ipu, {0, on.start + on.cycles});
        QVERIFY(more.tileBalance < more.parallelEfficiency);
    }

    void tilesWaitWithinComputeSetsOnly() {
        const ExecutedStep step = first("conv1/Convolve");
        const StepOnIpu& on = step.ipus.front();
        const std::int64_t waiting = on.cycles * on.activeTiles - on.activeCycles;
        QVERIFY(waiting > 0);
        QCOMPARE(waitingCycles(step.kind, on), waiting);
        QCOMPARE(waitingCycles(ProgramKind::DoExchange, on), std::int64_t(0));
        QVERIFY(!stepBalance(ProgramKind::DoExchange, on, 1472));
        QCOMPARE(stepBalance(step.kind, on, 1472), stepBalance(waiting, on.cycles, 1472));
        const CycleRange alone{on.start, on.start + on.cycles};
        const std::optional<double> balance = stepBalance(index_, on.ipu, alone, 1472);
        QCOMPARE(balance.value(),
                 1 - static_cast<double>(waiting) / (static_cast<double>(on.cycles) * 1472));
        // Tiles without a part in it do not wait for it.
        QVERIFY(*balance >= index_.statistics(on.ipu, alone).tileBalance);
        std::int64_t all = 0;
        for (std::int64_t i = 0; i < index_.stepCount(); ++i) {
            const ExecutedStep executed = index_.stepAt(i);
            for (const StepOnIpu& one : executed.ipus)
                if (one.ipu == on.ipu)
                    all += waitingCycles(executed.kind, one);
        }
        QCOMPARE(stepBalance(index_, on.ipu, {0, index_.totalCycles()}, 1472),
                 stepBalance(all, index_.totalCycles(), 1472));
        QVERIFY(!stepBalance(index_, on.ipu, {5, 5}, 1472));
    }

    void everyTileHasItsOwnTime() {
        const ExecutedStep step = first("conv1/Convolve");
        const StepOnIpu& on = step.ipus.front();
        const TileSeries worked = tileCycles(sources(), step.program, on.ipu, on.cycles);
        QCOMPARE(worked.max().value, on.cycles);
        QCOMPARE(worked.sum(), on.activeCycles);
        constexpr std::int32_t columns = 100;
        const TileRaster raster =
            tileRaster(index_, sources(),
                       {on.ipu, {on.start, on.start + on.cycles}, columns, 0, 1472, 1472}, {});
        QCOMPARE(raster.rows, 1472);
        for (std::int32_t tile = 0; tile < raster.rows; ++tile)
            for (std::int32_t column = 0; column < columns; ++column) {
                const double middle = (column + 0.5) / columns * static_cast<double>(on.cycles);
                const double mine = static_cast<double>(worked.at(TileId(tile)));
                if (std::abs(middle - mine) < 1e-6)
                    continue; // neither is most of the column
                QVERIFY(raster.at(column, tile).state ==
                        (middle < mine ? TileState::Compute : TileState::Wait));
                QCOMPARE(int(raster.at(column, tile).busy), 255);
            }
    }

    void aRowIsWhatMostOfItsTilesDo() {
        const ExecutedStep step = first("conv1/Convolve");
        const StepOnIpu& on = step.ipus.front();
        const TileSeries worked = tileCycles(sources(), step.program, on.ipu, on.cycles);
        const TileRaster raster = tileRaster(
            index_, sources(), {on.ipu, {on.start, on.start + on.cycles}, 1, 0, 1472, 2}, {});
        QCOMPARE(raster.rows, 2);
        for (std::int32_t half = 0; half < 2; ++half) {
            const double share = static_cast<double>(worked.sum(736 * half, 736 * (half + 1))) /
                                 (736.0 * static_cast<double>(on.cycles));
            QVERIFY(raster.at(0, half).state ==
                    (share > 0.5 ? TileState::Compute : TileState::Wait));
        }
    }

    // Several steps share a column, others reach over its edge.
    void stepsOfAColumnAddUp() {
        const std::int64_t from = first("conv1/Convolve").index;
        constexpr std::int64_t steps = 12;
        const IpuId ipu(0);
        std::vector<ExecutedStep> executed;
        for (std::int64_t i = from; i < from + steps; ++i)
            executed.push_back(index_.stepAt(i));
        const auto on = [&](const ExecutedStep& step) {
            return *std::find_if(step.ipus.begin(), step.ipus.end(),
                                 [&](const StepOnIpu& at) { return at.ipu == ipu; });
        };
        const CycleRange range{on(executed.front()).start,
                               on(executed.back()).start + on(executed.back()).cycles};
        constexpr std::int32_t columns = 3;
        constexpr std::int32_t rows = 4;
        constexpr std::int32_t tiles = 1472;
        std::array<std::array<double, tileStates.size()>, columns * rows> cells{};
        const double perColumn = static_cast<double>(range.cycles()) / columns;
        for (const ExecutedStep& step : executed) {
            const StepOnIpu at = on(step);
            const TileSeries worked = tileCycles(sources(), step.program, ipu, at.cycles);
            for (std::int32_t column = 0; column < columns; ++column)
                for (std::int32_t tile = 0; tile < tiles; ++tile) {
                    const auto overlap = [&](std::int64_t begin, std::int64_t end) {
                        const double left =
                            std::max(column * perColumn, static_cast<double>(begin - range.begin));
                        const double right = std::min((column + 1) * perColumn,
                                                      static_cast<double>(end - range.begin));
                        return std::max(0.0, right - left);
                    };
                    auto& cell =
                        cells.at(static_cast<std::size_t>(tile * rows / tiles * columns + column));
                    const std::int64_t done = at.start + worked.at(TileId(tile));
                    cell.at(static_cast<std::size_t>(tileStateOf(step.kind))) +=
                        overlap(at.start, done);
                    cell.at(static_cast<std::size_t>(TileState::Wait)) +=
                        overlap(done, at.start + at.cycles);
                }
        }
        const TileRaster raster =
            tileRaster(index_, sources(), {ipu, range, columns, 0, tiles, rows}, {});
        for (std::int32_t row = 0; row < rows; ++row)
            for (std::int32_t column = 0; column < columns; ++column) {
                const auto& cell = cells.at(static_cast<std::size_t>(row * columns + column));
                const double all = std::accumulate(cell.begin(), cell.end(), 0.0);
                const auto most = std::max_element(cell.begin(), cell.end());
                QCOMPARE(static_cast<std::int64_t>(raster.at(column, row).state),
                         std::distance(cell.begin(), most));
                QVERIFY(std::abs(raster.at(column, row).busy -
                                 255 * all / (perColumn * tiles / rows)) <= 1);
            }
    }

    /// A transfer on some tiles beside a compute set on others: neither waits for the other.
    void tilesDoNotWaitForStepsBesideTheirs() {
        constexpr std::int32_t firstIo = 1440;
        Profile p = p_;
        const ExecutedStep compute = first("conv1/Convolve");
        StepOnIpu on = compute.ipus.front();
        on.start = 0;
        TraceBody alone;
        alone.steps = {{compute.kind, compute.program, {on}}};
        alone.items = {{0, -1}};
        TraceBody beside = alone;
        for (std::size_t i = 0; i < p.programs.size(); ++i)
            if (p.programs[ProgramId(i)].kind == ProgramKind::StreamCopyMid) {
                beside.steps.push_back({ProgramKind::StreamCopyMid, ProgramId(i), {on}});
                p.streams[p.programs[ProgramId(i)].stream].bytes =
                    TileSeries(TileId(firstIo), 1472 - firstIo, 64);
                break;
            }
        beside.items.push_back({1, -1});
        const TileSources sources{p.programs, p.computeSets, p.exchanges, p.streams, 1472};
        const auto raster = [&](const TraceBody& body) {
            Trace trace;
            trace.runs = {{"run", trace.bodies.add(body), 0, on.cycles}};
            return tileRaster(TraceIndex(trace, 1, 1472), sources,
                              {IpuId(0), {0, on.cycles}, 7, 0, 1472, 1472}, {});
        };
        const TileRaster one = raster(alone);
        const TileRaster both = raster(beside);
        for (std::int32_t tile = 0; tile < 1472; ++tile)
            for (std::int32_t column = 0; column < 7; ++column) {
                const TileState own = one.at(column, tile).state;
                const bool free = tile >= firstIo && own == TileState::Wait;
                if (tile < firstIo || free)
                    QVERIFY(both.at(column, tile).state == (free ? TileState::StreamMid : own));
            }
    }

    void longExecutionsAreSampled() {
        const Profile long1 = sampleProfile({.repeats = 100'000'000});
        const TraceIndex index(long1.trace, 1, 1472);
        const TileSources sources{long1.programs, long1.computeSets, long1.exchanges, long1.streams,
                                  1472};
        const TileRaster raster =
            tileRaster(index, sources, {IpuId(0), {0, index.totalCycles()}, 50, 0, 1472, 10}, {});
        QVERIFY(raster.at(25, 0).state != TileState::Idle);
        QVERIFY(raster.at(25, 0).busy > 200);
        std::stop_source stopped;
        stopped.request_stop();
        bool threw = false;
        try {
            tileRaster(index, sources, {IpuId(0), {0, index.totalCycles()}, 50, 0, 1472, 10},
                       stopped.get_token());
        } catch (const Cancelled&) {
            threw = true;
        }
        QVERIFY(threw);
    }

    void anEmptyQuestionHasAnEmptyAnswer() {
        QVERIFY(
            tileRaster(index_, sources(), {IpuId(0), {5, 5}, 10, 0, 1472, 10}, {}).cells.empty());
    }
};

TILESCOPE_TEST(TraceCountsTest)

} // namespace trace_counts_test

#include "trace_counts_test.moc"
