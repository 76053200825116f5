#include <QTemporaryDir>
#include <QTest>
#include <fmt/format.h>

#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/trace/lanes.h"
#include "core/trace/range_programs.h"
#include "core/trace/trace_index.h"
#include "core/trace/trace_page_codec.h"
#include "core/trace/trace_pages.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/scale_profile.h"
#include "tests/support/test_main.h"

namespace trace_pages_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

ScaleOptions longTrace() {
    ScaleOptions options;
    options.steps = shortestPagedTrace;
    options.ipus = 3;
    options.variables = 60;
    options.tilesPerIpu = 16;
    return options;
}

std::string hex(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte byte : bytes)
        text += fmt::format("{:02x}", static_cast<unsigned>(byte));
    return text;
}

} // namespace

/// A long trace read page by page yields the same as the whole in memory.
class TracePagesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    const Profile p_ = scaleProfile(longTrace());
    const std::string file_ = folder_.filePath(QStringLiteral("long.pop")).toStdString();
    std::optional<TraceIndex> whole_;
    std::optional<TraceIndex> paged_;
    std::int64_t total_ = 0;

    void execute(const std::string& file, const char* sql) const {
        QCOMPARE(text(changeProfile(file, sql)), "");
    }

    [[nodiscard]] std::string copyOf(const char* name) const {
        const QString copy = folder_.filePath(QString::fromUtf8(name));
        QFile::remove(copy);
        QFile::copy(QString::fromStdString(file_), copy);
        return copy.toStdString();
    }

    [[nodiscard]] std::vector<CycleRange> ranges() const {
        std::vector<CycleRange> ranges;
        for (std::int64_t begin = -500; begin < total_; begin += total_ / 13)
            for (const std::int64_t width : {std::int64_t{1}, std::int64_t{9'999}, total_ / 7})
                ranges.push_back({begin, begin + width});
        ranges.push_back({0, total_});
        return ranges;
    }

    [[nodiscard]] double balanceOfAll(const TraceIndex& trace) const {
        return stepBalance(trace, IpuId(1), {0, total_}, longTrace().tilesPerIpu).value_or(-1);
    }

private slots:
    void initTestCase() {
        writeProfile(p_, file_);
        whole_.emplace(p_.trace, p_.info.target.ipus, p_.info.target.tilesPerIpu);
        paged_.emplace(ProfileReader(file_).traceIndex());
        total_ = whole_->totalCycles();
        QVERIFY(paged_->lanes().inPages());
        QVERIFY(!whole_->lanes().inPages());
    }

    void theGeneratorWritesAsManyStepsAsAskedFor() {
        std::int64_t steps = 0;
        for (const TraceBody& body : p_.trace.bodies)
            steps += static_cast<std::int64_t>(body.steps.size());
        QCOMPARE(steps, longTrace().steps);
        QCOMPARE(static_cast<int>(p_.variables.size()), longTrace().variables + 2);
        QVERIFY(p_.trace.bodies.begin()->calls.empty());
        QVERIFY(p_.trace.bodies.back().calls.size() > 2); // the pages hold calls too
    }

    void shortTracesHaveNoPages() {
        const std::string file = folder_.filePath(QStringLiteral("short.pop")).toStdString();
        writeProfile(sampleProfile(), file);
        QVERIFY(TracePages::open(file, 1) == nullptr);
        QVERIFY(!ProfileReader(file).traceIndex().lanes().inPages());
    }

    // What is searched is the same wherever it is read from.
    void lanesAgree() {
        const TraceLanes& a = paged_->lanes();
        const TraceLanes& b = whole_->lanes();
        QVERIFY(a.calleesFirst() == b.calleesFirst());
        for (const TraceBodyId body : b.calleesFirst()) {
            QCOMPARE(a.order(body).items(), b.order(body).items());
            QCOMPARE(a.stepCount(body), b.stepCount(body));
            for (std::size_t item = 0; item < b.order(body).items(); item += 997)
                QVERIFY(a.items(body, item).at(item) == b.items(body, item).at(item));
            for (const IpuId ipu : {IpuId(0), IpuId(1), IpuId(2)}) {
                const Lane& lane = b.lane(body, ipu);
                QCOMPARE(a.lane(body, ipu).count, lane.count);
                QCOMPARE(a.lane(body, ipu).length, lane.length);
                QCOMPARE(a.lane(body, ipu).sequential, lane.sequential);
                QCOMPARE(a.lane(body, ipu).overlaps, lane.overlaps);
                QVERIFY(a.blocks(body, ipu) == b.blocks(body, ipu));
                QVERIFY(a.lane(body, ipu).total == lane.total);
                for (std::size_t at = 0; at < lane.count; at += 997) {
                    const auto keep = TraceLanes::Keep::Yes;
                    const LaneEntry one = a.entries(body, ipu, at, keep).at(at);
                    const LaneEntry other = b.entries(body, ipu, at, keep).at(at);
                    QCOMPARE(one.begin, other.begin);
                    QCOMPARE(one.end, other.end);
                    QCOMPARE(one.item, other.item);
                    QCOMPARE(one.call, other.call);
                    QVERIFY(a.sumsOf(body, ipu, one) == b.sumsOf(body, ipu, other));
                    QVERIFY(a.amounts(body, ipu, at).at(at) == b.amounts(body, ipu, at).at(at));
                }
            }
        }
    }

    void lengthsAndCountsAgree() {
        QCOMPARE(paged_->totalCycles(), total_);
        QCOMPARE(paged_->stepCount(), whole_->stepCount());
        QCOMPARE(paged_->runs().size(), whole_->runs().size());
    }

    void stepsOfRangesAgree() {
        for (std::int32_t ipu = 0; ipu < 3; ++ipu)
            for (const CycleRange range : ranges())
                QVERIFY(paged_->spans(IpuId(ipu), range, 1) == whole_->spans(IpuId(ipu), range, 1));
    }

    // Where steps are merged is up to the index; that none is lost or counted twice is not.
    void mergedStepsAreComplete() {
        for (const std::int64_t pixels : {100, 2'000, 40'000}) {
            const std::int64_t minimum = total_ / pixels;
            for (std::int32_t ipu = 0; ipu < 3; ++ipu) {
                const auto spans = paged_->spans(IpuId(ipu), {0, total_}, minimum);
                const auto all = whole_->spans(IpuId(ipu), {0, total_}, 1);
                std::int64_t steps = 0;
                std::size_t at = 0;
                for (const TraceSpan& span : spans) {
                    QCOMPARE(span.begin, all.at(at).begin);
                    at += static_cast<std::size_t>(span.steps);
                    QCOMPARE(span.end, all.at(at - 1).end);
                    QVERIFY(!span.merged() || span.end - span.begin <= minimum);
                    steps += span.steps;
                    if (!span.first.program.valid())
                        continue;
                    QVERIFY(whole_->stepAt(span.first.step).program == span.first.program);
                    QVERIFY(whole_->stepAt(span.last.step).program == span.last.program);
                }
                QCOMPARE(steps, static_cast<std::int64_t>(all.size()));
                QVERIFY(static_cast<std::int64_t>(spans.size()) <= 4 * pixels);
            }
        }
    }

    void statisticsAgree() {
        for (std::int32_t ipu = 0; ipu < 3; ++ipu)
            for (const CycleRange range : ranges()) {
                const TraceStatistics a = paged_->statistics(IpuId(ipu), range);
                const TraceStatistics b = whole_->statistics(IpuId(ipu), range);
                QVERIFY(a.sums == b.sums);
                QCOMPARE(a.tileBalance, b.tileBalance);
            }
    }

    void programsOfRangesAgree() {
        for (std::int32_t ipu = 0; ipu < 3; ++ipu)
            for (const CycleRange range : ranges())
                QVERIFY(programsIn(*paged_, IpuId(ipu), range) ==
                        programsIn(*whole_, IpuId(ipu), range));
        std::int64_t waiting = 0;
        for (const RangeProgram& row : programsIn(*whole_, IpuId(1), {0, total_}))
            waiting += row.waiting;
        QVERIFY(waiting > 0);
        const auto balance = stepBalance(waiting, total_, longTrace().tilesPerIpu);
        QCOMPARE(balanceOfAll(*whole_), balance.value());
        QCOMPARE(balanceOfAll(*paged_), balance.value());
    }

    // What a report says of lanes as a whole does not read what they do.
    void figuresOfLanesReadNoSummaries() {
        const auto pages = TracePages::open(file_, p_.info.target.ipus);
        const TraceIndex index(pages, p_.info.target.tilesPerIpu);
        QVERIFY(index.totalCycles() == total_);
        QVERIFY(balanceOfAll(index) > 0);
        QVERIFY(index.executions(p_.programs.size()) == whole_->executions(p_.programs.size()));
        QCOMPARE(pages->summariesRead(), 0);
        for (int times = 0; times < 2; ++times) {
            (void)index.spans(IpuId(1), {0, total_}, total_ / 500);
            QVERIFY(pages->summariesRead() > 0);
            QVERIFY(pages->summariesRead() <= static_cast<std::int64_t>(p_.trace.bodies.size()));
        }
    }

    // Files before schema version 14 have no totals of lanes beside their summaries.
    void olderFilesAreOpenedWithAllSummaries() {
        const std::string older = copyOf("older13.pop");
        execute(older, "ALTER TABLE trace_lanes DROP COLUMN cycles; "
                       "ALTER TABLE trace_lanes DROP COLUMN total; PRAGMA user_version = 13");
        const TraceIndex index = ProfileReader(older).traceIndex();
        QCOMPARE(index.totalCycles(), total_);
        for (const CycleRange range : ranges())
            QVERIFY(index.spans(IpuId(2), range, 1) == whole_->spans(IpuId(2), range, 1));
    }

    // Older files have neither sums nor pages of it: sums would take every step, rows are read.
    void olderFilesDoNotSayHowMuchWaits() {
        const std::string older = copyOf("older.pop");
        execute(older, "CREATE TABLE older(body, ipu, page, entries, PRIMARY KEY(body, ipu, page)) "
                       "WITHOUT ROWID; "
                       "INSERT INTO older SELECT body, ipu, page, entries FROM trace_pages; "
                       "DROP TABLE trace_pages; ALTER TABLE older RENAME TO trace_pages; "
                       "ALTER TABLE trace_lanes DROP COLUMN first_page; PRAGMA user_version = 12");
        const TraceIndex index = ProfileReader(older).traceIndex();
        QVERIFY(!index.lanes().knowsWaiting());
        QCOMPARE(balanceOfAll(index), -1.0);
        const CycleRange part{total_ / 3, total_ / 2};
        QVERIFY(programsIn(index, IpuId(1), part) == programsIn(*whole_, IpuId(1), part));
    }

    void stepsAreFoundByIndexAndCycle() {
        for (std::int64_t index = 0; index < whole_->stepCount(); index += 7'919) {
            const ExecutedStep a = paged_->stepAt(index);
            const ExecutedStep b = whole_->stepAt(index);
            QVERIFY(a.program == b.program);
            QVERIFY(a.kind == b.kind);
            QVERIFY(a.callers == b.callers);
            QVERIFY(a.repetitions == b.repetitions);
            QCOMPARE(a.ipus.size(), b.ipus.size());
            for (std::size_t i = 0; i < a.ipus.size(); ++i) {
                QCOMPARE(a.ipus[i].start, b.ipus[i].start);
                QCOMPARE(a.ipus[i].bytesIn, b.ipus[i].bytesIn);
                QCOMPARE(paged_->stepAtCycle(a.ipus[i].ipu, a.ipus[i].start), index);
            }
            QVERIFY(paged_->placeOf(index).callers == b.callers);
        }
        QVERIFY_EXCEPTION_THROWN((void)paged_->stepAt(whole_->stepCount()), UserError);
        QCOMPARE(paged_->stepAtCycle(IpuId(0), total_), -1);
    }

    void searchesAgree() {
        ProgramSet some(p_.programs.size(), false);
        for (std::size_t i = 0; i < p_.programs.size(); ++i)
            some[i] = p_.programs[ProgramId(i)].name.find(scaleSearchText) != std::string::npos ||
                      p_.programs[ProgramId(i)].name.find("Momentum") != std::string::npos;
        const std::int64_t end = whole_->stepCount();
        QVERIFY(whole_->countAny(some, end) > 0);
        for (std::int64_t from = -1; from <= end; from += end / 41) {
            QCOMPARE(paged_->findAny(some, from, true), whole_->findAny(some, from, true));
            QCOMPARE(paged_->findAny(some, from, false), whole_->findAny(some, from, false));
            QCOMPARE(paged_->countAny(some, from), whole_->countAny(some, from));
        }
        QCOMPARE(paged_->countAny(some, end), whole_->countAny(some, end));
        QCOMPARE(paged_->findAny(ProgramSet(p_.programs.size(), false), -1, true), -1);
        for (std::size_t i = 0; i < p_.programs.size(); ++i) {
            const auto a = paged_->findCall(ProgramId(i));
            const auto b = whole_->findCall(ProgramId(i));
            QCOMPARE(a.has_value(), b.has_value());
            if (!a)
                continue;
            QCOMPARE(a->firstStep, b->firstStep);
            QVERIFY(a->range == b->range);
        }
    }

    void executionsAgree() {
        QVERIFY(paged_->executions(p_.programs.size()) == whole_->executions(p_.programs.size()));
    }

    // The purpose of pages: a picture of the whole reads next to nothing.
    void overviewsReadFewPages() {
        const auto pages = TracePages::open(file_, p_.info.target.ipus);
        QVERIFY(pages);
        QCOMPARE(pages->pagesRead(), 0);
        const TraceIndex index(pages, p_.info.target.tilesPerIpu);
        for (std::int32_t ipu = 0; ipu < 3; ++ipu)
            (void)index.spans(IpuId(ipu), {0, total_}, total_ / 500);
        std::int64_t all = 0;
        for (std::size_t body = 0; body < p_.trace.bodies.size(); ++body)
            for (std::int32_t ipu = 0; ipu < 3; ++ipu)
                all += static_cast<std::int64_t>(pages->lane(TraceBodyId(body), IpuId(ipu)).count /
                                                 entriesPerPage);
        QVERIFY2(pages->pagesRead() * 10 < all,
                 qPrintable(QStringLiteral("%1 of %2").arg(pages->pagesRead()).arg(all)));
        // So do the figures of the whole.
        const std::int64_t spansOnly = pages->pagesRead();
        QVERIFY(balanceOfAll(index) > 0);
        QCOMPARE(pages->pagesRead(), spansOnly);
        // And a zoom only what is visible.
        const std::int64_t before = pages->pagesRead();
        (void)index.spans(IpuId(1), {total_ / 2, total_ / 2 + 50'000}, 50);
        QVERIFY(pages->pagesRead() - before <= 3);
    }

    void panningMovesSpansWithoutChangingThem() {
        const std::int64_t width = total_ / 5;
        for (const std::int64_t minimum : {width / 1000, width / 100}) {
            const auto within = [&](std::int64_t begin) {
                auto spans = paged_->spans(IpuId(1), {begin, begin + width}, minimum);
                std::erase_if(spans, [&](const TraceSpan& span) {
                    return span.begin < 2 * total_ / 5 + width / 2 ||
                           span.end > 3 * total_ / 5 - width / 8;
                });
                return spans;
            };
            const auto before = within(2 * total_ / 5);
            QVERIFY(before.size() > 10);
            for (const std::int64_t by : {std::int64_t(1), minimum / 2, minimum, width / 3})
                QVERIFY(within(2 * total_ / 5 + by) == before);
        }
    }

    void damagedPagesAreUserErrors() {
        const auto errorOf = [&](const char* name, const char* sql) {
            const std::string file = copyOf(name);
            execute(file, sql);
            return userError([&] {
                const TraceIndex index = ProfileReader(file).traceIndex();
                (void)index.spans(IpuId(0), {0, total_}, 1);
                (void)index.findAny(ProgramSet(p_.programs.size(), true), 100, true);
                (void)programsIn(index, IpuId(0), {0, total_});
            });
        };
        for (const char* sql :
             {"UPDATE trace_pages SET entries = x'0102'", "DELETE FROM trace_pages",
              "UPDATE trace_lanes SET summary = zeroblob(9)",
              "UPDATE trace_lanes SET cycles = cycles + 1", "UPDATE trace_lanes SET cycles = -1",
              "UPDATE trace_lanes SET total = x'ff'", "UPDATE trace_lanes SET total = x'00'",
              "UPDATE trace_lanes SET ipu = ipu + 7", "UPDATE trace_lanes SET entries = 1 << 60",
              "UPDATE trace_lanes SET body = body + 9", "UPDATE trace_pages SET amounts = x'02'",
              "UPDATE trace_pages SET amounts = NULL",
              "UPDATE trace_lanes SET first_page = first_page + 1",
              "UPDATE trace_lanes SET first_page = 9223372036854775807",
              "UPDATE trace_item_pages SET programs = x'ff'",
              "UPDATE trace_item_pages SET items = items - 1 WHERE page = 0",
              "UPDATE trace_calls SET position = -position - 1"})
            QVERIFY2(errorOf("damaged.pop", sql).contains("damaged profile"), sql);
    }

    void pagesNameNoProgramThatIsNotThere() {
        const ProgramId none(p_.programs.size());
        LaneEntry entry;
        entry.kind = ProgramKind::OnTileExecute;
        entry.program = none;
        const auto entries = encodeEntries(std::vector(entriesPerPage, entry));
        const auto items = encodeItems(std::vector(itemsPerPage, ItemContent{none.value(), -1}));
        const std::string file = copyOf("program.pop");
        execute(file, fmt::format("UPDATE trace_pages SET entries = x'{}' WHERE page = 0; "
                                  "UPDATE trace_item_pages SET programs = x'{}' WHERE items = {}",
                                  hex(entries), hex(items), itemsPerPage)
                          .c_str());
        const auto pages = TracePages::open(file, longTrace().ipus);
        const QString refers = "damaged profile: a row refers to one that does not exist";
        bool some = false;
        for (std::size_t body = 0; body < p_.trace.bodies.size(); ++body) {
            const TraceBodyId id(body);
            if (pages->order(id).items() >= itemsPerPage) {
                some = true;
                QCOMPARE(userError([&] { (void)pages->items(id, 0); }), refers);
            }
            if (pages->lane(id, IpuId(0)).count >= entriesPerPage)
                QCOMPARE(userError(
                             [&] { (void)pages->entries(id, IpuId(0), 0, TraceLanes::Keep::Yes); }),
                         refers);
        }
        QVERIFY(some);
    }
};

TILESCOPE_TEST(TracePagesTest)

} // namespace trace_pages_test

#include "trace_pages_test.moc"
