// What reports show, as values: plots, tables and texts made from the sample profile.
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/trace_lanes.h"
#include "views/execution/trace_content.h"
#include "views/liveness/liveness_content.h"
#include "views/liveness/liveness_tables.h"
#include "views/memory/memory_content.h"
#include "views/memory/tile_map_content.h"
#include "views/operations/operations_content.h"
#include "views/programs/program_details.h"
#include "views/session/time_texts.h"
#include "views/summary/summary_content.h"
#include "views/tables/profile_tables.h"

namespace content_test {
using namespace tilescope;
using namespace tilescope::views;

class ContentTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    ProfilePair one_;
    ProfilePair two_;

    // The sample with one option changed.
    ProfileViewPtr otherOptions() const {
        Profile profile = test::sampleProfile();
        profile.info.options["target"] = "bow";
        const QString file = files_.path("options.pop");
        writeProfile(profile, file.toStdString());
        return test::openSample(file);
    }

    static std::int64_t heightAt(const StepPlot::Content& content, std::size_t index) {
        return content.areas.back().top.at(index);
    }

    /// The sample and a copy in which conv1, and everything named after it, has another name.
    ProfilePair renamedPair() const {
        Profile other = test::sampleProfile();
        for (Operation& operation : other.operations)
            if (operation.name == "conv1")
                operation.name = "stem";
        for (Variable& variable : other.variables)
            if (variable.name.starts_with("conv1/"))
                variable.name = "stem" + variable.name.substr(std::string("conv1").size());
        return ProfilePair(one_.source,
                           test::openSample(files_.writeProfile("renamed.pop", other)));
    }

private slots:
    void initTestCase() {
        one_ = ProfilePair(test::openSample(files_.write("a.pop")));
        two_ = ProfilePair(one_.source,
                           test::openSample(files_.write("b.pop", {.ipus = 2, .changed = true})));
    }

    // All reports use the same matching: only names differ here.
    void aRenamedVariableIsTheSameEverywhere() {
        const ProfilePair pair = renamedPair();
        const auto all = TileSelection::all();
        const std::vector<StepId> steps{StepId(14)};
        for (const Table& table :
             {itemTable(MemoryTable::Variables, pair, all, {}), alwaysLiveTable(pair, all, {}),
              notAlwaysLiveTable(pair, all, steps, {})}) {
            QVERIFY(!table.rows.empty());
            for (const Row& row : table.rows) {
                QVERIFY(row.id >= 0);
                QCOMPARE(row.cells[1], row.cells[2]);
            }
        }
        const auto variables = one_.source->variables();
        for (std::size_t i = 0; i < variables->size(); ++i) {
            TileQuantity quantity;
            quantity.kind = TileQuantity::Variables;
            quantity.variables = {VariableId(i)};
            QCOMPARE(tileMapContent(pair, quantity, {}).largestDifference, std::int64_t(0));
            QVERIFY(tileMapContent(pair, quantity, {}).largest > 0 ||
                    (*variables)[VariableId(i)].bytes.sum() == 0);
        }
        QCOMPARE(pair.matching->targetOf(steps.front()).value(), steps.front().value());
    }

    void everyBreakdownHasTheSameTop() {
        const auto tiles = one_.source->tileMemory({});
        for (const bool gaps : {true, false})
            for (const auto breakdown : {MemoryBreakdown::None, MemoryBreakdown::Region,
                                         MemoryBreakdown::Category, MemoryBreakdown::Liveness}) {
                const auto content = memoryContent(one_, {breakdown, gaps, TileOrder::Software},
                                                   true, lightTheme(), ByteUnits::Binary, {});
                QCOMPARE(content.limit->value, 638976.0);
                // The largest step's bytes share addresses with those of other steps.
                if (breakdown == MemoryBreakdown::Liveness && !gaps)
                    continue;
                for (const std::size_t tile : {0UL, 5UL, 1471UL}) {
                    const TileMemory& memory = (*tiles)[TileId(tile)];
                    QCOMPARE(heightAt(content, tile),
                             gaps ? memory.includingGaps : memory.excludingGaps);
                }
            }
    }

    void layersOfAPlotHaveColoursOfTheirOwn() {
        const auto content =
            memoryContent(one_, {MemoryBreakdown::Category, true, TileOrder::Software}, true,
                          lightTheme(), ByteUnits::Binary, {});
        QSet<QRgb> colours;
        for (const StepArea& area : content.areas)
            colours.insert(area.colour.rgb());
        QCOMPARE(colours.size(), static_cast<qsizetype>(content.areas.size()));
    }

    void twoProfilesAreOverlaidWholly() {
        const auto content = memoryContent(two_, {}, true, lightTheme(), ByteUnits::Binary, {});
        QCOMPARE(content.areas.size(), std::size_t(2));
        QCOMPARE(content.mode, StepAreaPlottable::Mode::Overlaid);
        QCOMPARE(content.areas[0].top.size(), std::size_t(1472));
        QCOMPARE(content.areas[1].top.size(), std::size_t(2944));
    }

    void physicalOrderIsAPermutation() {
        const Target& machine = one_.source->machine();
        for (const std::int32_t tile : {0, 1, 63, 700, 1471}) {
            const std::int32_t place = placeOfTile(machine, TileOrder::Physical, TileId(tile));
            QCOMPARE(tileAtPlace(machine, TileOrder::Physical, place), TileId(tile));
        }
    }

    void livenessStacks() {
        const auto with = livenessContent(one_, {}, lightTheme(), {});
        const auto without =
            livenessContent(one_, {.tiles = {}, .includeAlwaysLive = false}, lightTheme(), {});
        QCOMPARE(with.plot.areas.size(), std::size_t(2));
        QCOMPARE(without.plot.areas.size(), std::size_t(1));
        QCOMPARE(with.sourceSteps.names.size(), with.plot.areas[0].top.size());
        const std::size_t peak = with.peak.index();
        QCOMPARE(heightAt(with.plot, peak) - with.plot.areas[0].top.at(peak),
                 heightAt(without.plot, peak));
        const auto both =
            livenessContent(two_, {.tiles = TileSelection::ofIpu(IpuId(0))}, lightTheme(), {});
        QCOMPARE(both.plot.areas.size(), std::size_t(4));
        const auto tile =
            livenessContent(one_, {.tiles = TileSelection::ofTile(TileId(3))}, lightTheme(), {});
        QVERIFY(heightAt(tile.plot, peak) < heightAt(with.plot, peak));
    }

    /// The same operation at one place; each side keeps its own height at its own steps.
    void livenessOfAPairIsAlignedByOperation() {
        const LivenessOptions options{.tiles = {}, .align = StepsAlign::Operations};
        const auto same =
            livenessContent(ProfilePair(one_.source, one_.source), options, lightTheme(), {});
        QVERIFY(same.aligned);
        for (std::size_t i = 0; i < same.sourceSteps.shown.size(); ++i)
            QCOMPARE(same.sourceSteps.placeAt(i), static_cast<std::int32_t>(i));
        const auto content = livenessContent(two_, options, lightTheme(), {});
        QVERIFY(content.aligned);
        const auto byStep =
            livenessContent(two_, {.tiles = {}, .align = StepsAlign::Steps}, lightTheme(), {});
        QVERIFY(!byStep.aligned);
        const auto heights = [](const LivenessContent& of, std::size_t area, const StepList& list) {
            std::vector<std::int64_t> found;
            for (std::size_t i = 0; i < list.shown.size(); ++i)
                found.push_back(
                    of.plot.areas[area].top.at(static_cast<std::size_t>(list.placeAt(i))));
            return found;
        };
        QCOMPARE(heights(content, 1, content.sourceSteps), heights(byStep, 1, byStep.sourceSteps));
        QCOMPARE(heights(content, 3, content.targetSteps), heights(byStep, 3, byStep.targetSteps));
        QVERIFY(content.plot.areas[1].filled && !content.plot.areas[3].filled);
        for (const StepId step : content.sourceSteps.shown)
            QCOMPARE(content.sourceSteps.at(content.sourceSteps.placeOf(step)), step);
    }

    /// Colours identify a side, whether the two are overlaid or below each other.
    void livenessOfAPairHasTheColoursOfItsSides() {
        const Theme theme = lightTheme();
        const auto over = livenessContent(two_, {.tiles = {}}, theme, {});
        const auto apart = livenessContent(two_, {.tiles = {}, .apart = true}, theme, {});
        QVERIFY(apart.target.has_value());
        QCOMPARE(apart.plot.areas.size(), std::size_t(2));
        QCOMPARE(apart.target->areas.size(), std::size_t(2));
        QCOMPARE(apart.plot.areas[1].colour, theme.source);
        QCOMPARE(apart.target->areas[1].colour, theme.target);
        for (std::size_t i = 0; i < 2; ++i) {
            QCOMPARE(apart.plot.areas[i].colour, over.plot.areas[i].colour);
            QCOMPARE(apart.target->areas[i].colour, over.plot.areas[2 + i].colour);
            QVERIFY(apart.plot.areas[i].filled && apart.target->areas[i].filled);
            // One legend explains both plots.
            QVERIFY(apart.plot.areas[i].name != apart.target->areas[i].name);
        }
    }

    void whatExceedsTheMemoryIsKnown() {
        const auto limited = [&](std::int64_t bytesPerTile) {
            Profile small = test::sampleProfile();
            small.info.target.bytesPerTile = bytesPerTile;
            const ProfilePair pair(
                std::make_shared<const ProfileView>(std::make_shared<const Profile>(small)));
            return livenessContent(pair, {.tiles = {}, .limit = true}, lightTheme(), {}).plot;
        };
        const auto roomy = limited(638976);
        QCOMPARE(roomy.limit->value, 638976.0 * 1472);
        QVERIFY(!roomy.areas.back().exceeds());
        const std::int64_t peak = roomy.areas.back().top.all().max;
        const auto tight = limited(peak / 1472 / 2);
        QVERIFY(tight.areas.back().exceeds());
        QVERIFY(!tight.areas.front().exceeds()); // the layer below paints no red of its own
    }

    void livenessTables() {
        const StepId peak = livenessContent(one_, {}, lightTheme(), {}).peak;
        const std::vector<StepId> steps{peak};
        QVERIFY(!alwaysLiveTable(one_, {}, {}).rows.empty());
        QVERIFY(!notAlwaysLiveTable(one_, {}, steps, {}).rows.empty());
        QCOMPARE(notAlwaysLiveTable(two_, {}, steps, {}).columns.size(), std::size_t(4));
        QCOMPARE(cycleTable(one_, steps, {}).rows.size(), std::size_t(1));
        // A step's number is its profile's own.
        const auto count = static_cast<std::int32_t>(one_.source->steps({})->size());
        StepId other;
        for (std::int32_t i = 0; i < count && !other.valid(); ++i)
            if (const StepId there = two_.matching->targetOf(StepId(i));
                there.valid() && there != StepId(i))
                other = StepId(i);
        QVERIFY(other.valid());
        const Table apart = notAlwaysLiveTable(two_, {}, {&other, 1}, {});
        QCOMPARE(apart.columns[1].title, "Step " + std::to_string(other.value()) + ", source");
        QCOMPARE(apart.columns[2].title,
                 "Step " + std::to_string(two_.matching->targetOf(other).value()) + ", target");
        const StepId matched = two_.matching->targetOf(peak);
        const auto names = [](const ProfileView& p) {
            return stepNames(*p.programs({}), *p.steps({}));
        };
        QCOMPARE(names(*two_.target)[matched.index()], names(*two_.source)[peak.index()]);
    }

    void tablesOfASelection() {
        for (const MemoryTable which : {MemoryTable::Variables, MemoryTable::Vertices,
                                        MemoryTable::ComputeSets, MemoryTable::Exchanges}) {
            const auto make = [which](const ProfilePair& pair, const TileSelection& tiles) {
                return itemTable(which, pair, tiles, {});
            };
            const Table all = make(one_, TileSelection::all());
            QVERIFY(!all.rows.empty());
            for (const Row& row : all.rows)
                QCOMPARE(row.cells.size(), all.columns.size());
            QVERIFY(make(one_, TileSelection::ofTile(TileId(1471))).rows.size() <= all.rows.size());
            // Tile 2000 is only on the target.
            QCOMPARE(make(two_, TileSelection::ofIpu(IpuId(0))).columns.size(), std::size_t(4));
        }
        QCOMPARE(fittedTo(one_.source->machine(), TileSelection::ofTile(TileId(2000))),
                 TileSelection::all());
    }

    void traceLanes() {
        const std::int64_t length = traceLength(one_, {});
        for (const TraceLook look : {TraceLook::Flame, TraceLook::Flat}) {
            const auto lanes = test::traceLanes({one_, look, IpuId()}, {0, length}, 1);
            QCOMPARE(lanes.size(), std::size_t(1));
            for (const TraceRow& row : lanes[0].rows) {
                std::int64_t end = 0;
                for (const TraceBox& box : row.boxes) {
                    QVERIFY(box.begin >= end);
                    end = box.end;
                }
            }
        }
        const auto both = test::traceLanes({two_, TraceLook::Flat, IpuId()}, {0, length}, 1000);
        QCOMPARE(both.size(), std::size_t(3));
        QVERIFY(!both[0].target && both[1].target && both[2].target);
        QCOMPARE(test::traceLanes({two_, TraceLook::Flat, IpuId(1)}, {0, length}, 1000).size(),
                 std::size_t(1));
        QCOMPARE(traceStatistics({two_, TraceLook::Flat, IpuId()}, {0, length}, {}).size(),
                 std::size_t(3));
    }

    void detailsOfEveryStepAndProgram() {
        const auto index = one_.source->trace({});
        for (std::int64_t step = 0; step < std::min<std::int64_t>(index->stepCount(), 60); ++step)
            QVERIFY(stepDetails(*one_.source, index->stepAt(step), {}).roots.size() > 4);
        for (std::size_t program = 0; program < one_.source->programs({})->size(); ++program)
            QVERIFY(!programDetails(*one_.source, ProgramId(program), {}).roots.empty());
    }

    void operations() {
        // Four operations of the model, and the stream copies, which belong to none.
        QCOMPARE(groupTable(readOperations(one_, {}, {}), {}).rows.size(), std::size_t(10));
    }

    void verdicts() {
        const auto good = readFigures(*one_.source, {});
        const QString fits = verdictText(one_.source->info(), good.memory, ByteUnits::Binary);
        QVERIFY2(fits.startsWith("Fits: the fullest tile (0)"), qPrintable(fits));
        const ProfileViewPtr large =
            test::openSample(files_.write("large.pop", {.tooLarge = true}));
        const QString bad =
            verdictText(large->info(), readFigures(*large, {}).memory, ByteUnits::Binary);
        QVERIFY2(bad.startsWith("Out of memory: "), qPrintable(bad));
        QVERIFY(bad.endsWith("too much."));
    }

    void optionsSideBySide() {
        const Table table = views::optionsTable(two_);
        QCOMPARE(table.columns.size(), std::size_t(3));
        QVERIFY(!table.rows.front().emphasised);
        QCOMPARE(table.summary, std::string("0 changed"));
        const Table changed = views::optionsTable(ProfilePair(one_.source, otherOptions()));
        QCOMPARE(std::get<std::string>(changed.rows[0].cells[0]), std::string("target"));
        QVERIFY(changed.rows[0].emphasised);
        QVERIFY(!changed.rows[1].emphasised);
    }

    void durationsAndTheirChanges() {
        const Preferences preferences;
        QCOMPARE(cellText(1.5e-6, Unit::Seconds, preferences), durationText(1.5e-6));
        QCOMPARE(cellText(Change(2e-6, 1.5e-6), Unit::Seconds, preferences),
                 QStringLiteral("\u2212") + durationText(5e-7) + QStringLiteral(" (\u221225.0 %)"));
        QCOMPARE(cellText(Change(0, 1.5e-6), Unit::Seconds, preferences),
                 "+" + durationText(1.5e-6));
    }

    void largeGrowthIsAMultiple() {
        const Preferences preferences;
        const auto is = [&](const Cell& cell, Unit unit, const QString& text) {
            QCOMPARE(cellText(cell, unit, preferences, 0, unit == Unit::Share), text);
        };
        is(Change{100, 1099}, Unit::Count, "+999 (+999.0 %)");
        is(Change{100, 1100}, Unit::Count, QStringLiteral("+1,000 (\u00d7\u00a011.0)"));
        is(Change{2, 8716}, Unit::Count, QStringLiteral("+8,714 (\u00d7\u00a04,358)"));
        is(43.5, Unit::Share, QStringLiteral("\u00d7\u00a044.5"));
        is(-1.0, Unit::Share, QStringLiteral("\u2212100.0 %"));
    }

    void durationsFollowThePreferredUnits() {
        Preferences preferences;
        const Cell duration = Duration{1330, 1.33e9};
        const auto is = [&](const Cell& cell, Unit unit, const QString& text) {
            QCOMPARE(cellText(cell, unit, preferences, 1.33e9), text);
        };
        const QString time = durationText(1e-6);
        is(duration, Unit::None, "1,330 cycles (" + time + ")");
        is(std::int64_t{1330}, Unit::Cycles, "1,330");
        QCOMPARE(columnTitle({"cycles", "Cycles", Unit::Cycles}, preferences, 1.33e9), "Cycles");
        preferences.setClockUnits(ClockUnits::Time);
        is(duration, Unit::None, time);
        is(std::int64_t{1330}, Unit::Cycles, time);
        is(std::int64_t{1330}, Unit::Count, "1,330");
        is(Change{2660, 1330}, Unit::Cycles,
           QStringLiteral("\u2212") + time + QStringLiteral(" (\u221250.0 %)"));
        QCOMPARE(columnTitle({"cycles", "Cycles", Unit::Cycles}, preferences, 1.33e9),
                 "Cycles, as time");
        // With different clocks there is no common time.
        QCOMPARE(cellText(std::int64_t{1330}, Unit::Cycles, preferences), "1,330");
        preferences.setClockUnits(ClockUnits::Cycles);
        is(duration, Unit::None, "1,330 cycles");
    }

    // Kinds of the trace must be told apart by the colour-blind as well: by lightness if not by
    // hue.
    void kindsOfTheTraceDiffer() {
        std::vector<Theme> themes;
        for (const DataColours colours : dataColours) {
            themes.push_back(lightTheme(colours));
            themes.push_back(darkTheme(colours));
        }
        const ProgramKind kinds[] = {ProgramKind::OnTileExecute,
                                     ProgramKind::DoExchange,
                                     ProgramKind::GlobalExchange,
                                     ProgramKind::StreamCopyBegin,
                                     ProgramKind::StreamCopyMid,
                                     ProgramKind::StreamCopyEnd,
                                     ProgramKind::Sync};
        for (const Theme& theme : themes)
            for (const ProgramKind a : kinds)
                for (const ProgramKind b : kinds) {
                    const QColor x = theme.kind(a);
                    const QColor y = theme.kind(b);
                    const int distance = std::abs(x.red() - y.red()) +
                                         std::abs(x.green() - y.green()) +
                                         std::abs(x.blue() - y.blue());
                    QVERIFY(a == b || distance > 90);
                }
    }

    void textStandsOutOnEveryColour() {
        QCOMPARE(Theme::textOn(Qt::white).lightness() < 128, true);
        QCOMPARE(Theme::textOn(Qt::black).lightness() > 128, true);
        QCOMPARE(Theme::textOn(QColor("#0072b2")), QColor(Qt::white));
    }
};

TILESCOPE_TEST(ContentTest, QCoreApplication)

} // namespace content_test

#include "content_test.moc"
