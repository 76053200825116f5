// The steps of a range counted by multiplication equal those counted one by one.
#include "core/trace/range_programs.h"

#include <QTest>
#include <map>
#include <random>
#include <set>

#include "core/report/range_table.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_pipeline.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace range_programs_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

using Counts = std::map<ProgramId, RangeProgram>;

/// By looking at every step of the execution.
Counts oneByOne(const TraceIndex& trace, IpuId ipu, CycleRange range) {
    Counts counts;
    for (std::int64_t at = 0; at < trace.stepCount(); ++at) {
        const ExecutedStep step = trace.stepAt(at);
        for (const StepOnIpu& on : step.ipus) {
            if (on.ipu != ipu)
                continue;
            const std::int64_t begin = std::max(range.begin, on.start);
            const std::int64_t end = std::min(range.end, on.start + on.cycles);
            if (begin >= end)
                continue;
            RangeProgram& row = counts[step.program];
            row.program = step.program;
            row.kind = step.kind;
            ++row.count;
            row.cycles += end - begin;
            row.longest = std::max(row.longest, on.cycles);
            const auto part = [&](std::int64_t value) {
                return static_cast<std::int64_t>(static_cast<long double>(value) * (end - begin) /
                                                 on.cycles);
            };
            row.bytesIn += part(on.bytesIn);
            if (step.kind == ProgramKind::OnTileExecute)
                row.waiting += part(on.cycles * on.activeTiles - on.activeCycles);
        }
    }
    return counts;
}

/// Rows with cycles: steps of none are counted by the range's own edges.
Counts rowsOf(const TraceIndex& trace, IpuId ipu, CycleRange range) {
    Counts counts;
    for (const RangeProgram& row : programsIn(trace, ipu, range))
        if (row.cycles > 0)
            counts[row.program] = row;
    return counts;
}

QString describe(const Counts& counts) {
    QString all;
    for (const auto& [program, row] : counts)
        all += QString("%1: %2 x, %3, %4, %5, %6; ")
                   .arg(program.value())
                   .arg(row.count)
                   .arg(row.cycles)
                   .arg(row.longest)
                   .arg(row.waiting)
                   .arg(row.bytesIn);
    return all;
}

} // namespace

class RangeProgramsTest : public QObject {
    Q_OBJECT

    static void compare(const Profile& profile, std::int32_t ipus, CycleRange range) {
        const TraceIndex trace(profile.trace, ipus, profile.info.target.tilesPerIpu);
        for (std::int32_t ipu = 0; ipu < ipus; ++ipu) {
            const Counts expected = oneByOne(trace, IpuId(ipu), range);
            const Counts counted = rowsOf(trace, IpuId(ipu), range);
            QVERIFY2(describe(counted) == describe(expected),
                     qPrintable(QString("cycles %1 to %2\n%3\n%4")
                                    .arg(range.begin)
                                    .arg(range.end)
                                    .arg(describe(counted), describe(expected))));
            std::int64_t cycles = 0;
            for (const auto& [program, row] : counted)
                cycles += row.cycles;
            QCOMPARE(cycles, trace.statistics(IpuId(ipu), range).sums.total());
        }
    }

private slots:
    void anyRange() {
        std::mt19937 random(7);
        for (const Profile& profile :
             {sampleProfile({.ipus = 2}), sampleProfile({.repeats = 3}), samplePipelineRun()}) {
            const std::int32_t ipus = profile.info.target.ipus;
            const TraceIndex trace(profile.trace, ipus, profile.info.target.tilesPerIpu);
            std::uniform_int_distribution<std::int64_t> cycle(-100, trace.totalCycles() + 100);
            compare(profile, ipus, {0, trace.totalCycles()});
            for (int i = 0; i < 40; ++i) {
                const auto [begin, end] = std::minmax({cycle(random), cycle(random)});
                compare(profile, ipus, {begin, end});
            }
        }
    }

    void nothingInAnEmptyRange() {
        const Profile profile = sampleProfile();
        const TraceIndex trace(profile.trace, 1, 1472);
        QVERIFY(rowsOf(trace, IpuId(0), {100, 100}).empty());
        QVERIFY(rowsOf(trace, IpuId(0), {trace.totalCycles(), trace.totalCycles() + 50}).empty());
    }

    // However rows are grouped, their cycles are the same.
    void groupsAddUp() {
        const Profile sample = sampleProfile({.ipus = 2});
        const auto profile = ProfileView::of(sample);
        const std::int64_t end = profile->trace()->totalCycles();
        std::optional<std::int64_t> all;
        std::size_t most = 0;
        for (const RangeGroup by : rangeGroups) {
            const Table table =
                rangeTable(*profile, {IpuId(0), IpuId(1)}, {end / 3, end}, by).table;
            const std::size_t column = table.columnOf("cycles");
            std::int64_t cycles = 0;
            double share = 0;
            std::int64_t bytes = 0;
            for (const Row& row : table.rows) {
                bytes += std::get<std::int64_t>(row.cells[table.columnOf("bytesIn")]);
                cycles += std::get<std::int64_t>(row.cells[column]);
                share += std::get<double>(row.cells[table.columnOf("share")]);
            }
            QVERIFY(share > 0 && share <= 1.0 + 1e-9);
            QCOMPARE(cycles, all.value_or(cycles));
            all = cycles;
            std::int64_t received = 0;
            for (const IpuId ipu : {IpuId(0), IpuId(1)})
                for (const RangeProgram& row : programsIn(*profile->trace(), ipu, {end / 3, end}))
                    received += row.bytesIn;
            QVERIFY(received > 0);
            QCOMPARE(bytes, received);
            most = std::max(most, table.rows.size());
            if (by == RangeGroup::Kind)
                QVERIFY(table.rows.size() < most);
        }
    }

    void rowsLeadToTheirItems() {
        const Profile sample = sampleProfile();
        const auto profile = ProfileView::of(sample);
        const std::int64_t end = profile->trace()->totalCycles();
        for (const RangeGroup by : rangeGroups) {
            const RangeTable range = rangeTable(*profile, {IpuId(0)}, {0, end}, by);
            QCOMPARE(range.rows.size(), range.table.rows.size());
            std::set<ProgramId> all;
            std::size_t count = 0;
            for (const Row& row : range.table.rows) {
                const RangeRow& item = range.rows.at(static_cast<std::size_t>(row.id));
                all.insert(item.programs.begin(), item.programs.end());
                count += item.programs.size();
                const std::string& name = std::get<std::string>(row.cells[0]);
                if (by == RangeGroup::Operation && item.operation.valid())
                    QCOMPARE(text(name), text((*profile->operations())[item.operation].name));
                if (by == RangeGroup::Step && !item.programs.empty())
                    QCOMPARE(text(name), text((*profile->programs())[item.programs.front()].name));
            }
            QVERIFY(all.size() > 3);
            QCOMPARE(count, all.size()); // a step is in one row
        }
    }

    // As often as in the table, and at the places found by looking at every step.
    void executionsAreFound() {
        const Profile sample = sampleProfile();
        const auto profile = ProfileView::of(sample);
        const auto trace = profile->trace();
        const std::int64_t end = trace->totalCycles();
        const CycleRange range{end / 4, end - end / 4};
        for (const RangeProgram& row : programsIn(*trace, IpuId(0), range)) {
            if (!row.program.valid())
                continue;
            ProgramSet programs(row.program.index() + 1);
            programs[row.program.index()] = true;
            std::vector<CycleRange> wanted;
            for (std::int64_t at = 0; at < trace->stepCount(); ++at)
                if (const ExecutedStep step = trace->stepAt(at); step.program == row.program) {
                    const StepOnIpu& on = step.ipus.front();
                    if (on.start < range.end && on.start + on.cycles > range.begin)
                        wanted.push_back({on.start, on.start + on.cycles});
                }
            const auto found = [&](std::size_t most) {
                std::vector<CycleRange> ranges;
                for (const ExecutedStep& step : executionsIn(*trace, programs, range, most))
                    ranges.push_back(cyclesOf(step));
                return ranges;
            };
            QCOMPARE(found(1000), wanted);
            wanted.resize(std::min<std::size_t>(1, wanted.size()));
            QCOMPARE(found(1), wanted);
        }
    }
};

} // namespace range_programs_test

TILESCOPE_TEST(range_programs_test::RangeProgramsTest)
#include "range_programs_test.moc"
