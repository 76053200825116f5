// Frames of a film: what tiles hold, do and exchange step by step.
#include "core/analysis/film/tile_film.h"

#include <QTest>
#include <numeric>
#include <random>

#include "core/analysis/film/live_bytes.h"
#include "core/analysis/liveness/liveness.h"
#include "core/analysis/memory/tile_quantity.h"
#include "core/base/error.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace tile_film_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

std::int64_t sum(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// Random variables and lifetimes: on some tiles, in up to four intervals.
Profile randomProfile(std::mt19937& random) {
    constexpr std::int32_t tiles = 40;
    Profile profile;
    profile.info.target.ipus = 2;
    profile.info.target.tilesPerIpu = tiles / 2;
    Program program;
    program.kind = ProgramKind::OnTileExecute;
    program.name = "step";
    profile.programs.add(program);
    const auto steps = static_cast<std::int32_t>(1 + random() % 200);
    for (std::int32_t i = 0; i < steps; ++i)
        profile.steps.add(ProgramId(0));
    for (int i = 0; i < 12; ++i) {
        LivenessClass made;
        for (std::int32_t at = 0; at < steps && made.intervals.size() < 4;) {
            const auto first = at + static_cast<std::int32_t>(random() % 30);
            const auto end = std::min(steps, first + 1 + static_cast<std::int32_t>(random() % 20));
            if (first < end)
                made.intervals.push_back({StepId(first), StepId(end)});
            at = end + 1;
        }
        profile.livenessClasses.add(made);
    }
    for (int i = 0; i < 60; ++i) {
        Variable v;
        v.name = "v" + std::to_string(i);
        v.alwaysLive = random() % 4 == 0;
        if (!v.alwaysLive)
            v.liveness = LivenessClassId(static_cast<std::int32_t>(random() % 12));
        for (std::int32_t tile = 0; tile < tiles;) {
            const auto first = tile + static_cast<std::int32_t>(random() % 9);
            tile = std::min(tiles, first + 1 + static_cast<std::int32_t>(random() % 9));
            v.bytes.append(first, tile, 1 + static_cast<std::int64_t>(random() % 100));
        }
        profile.variables.add(v);
    }
    return profile;
}

std::shared_ptr<const LiveChanges> changesOf(const Profile& p) {
    return std::make_shared<const LiveChanges>(p.variables, p.livenessClasses, p.steps.size(),
                                               p.info.target.totalTiles());
}

} // namespace

class TileFilmTest : public QObject {
    Q_OBJECT
    const Profile p_ = sampleProfile({.ipus = 2});
    const std::shared_ptr<const ProfileView> view_ = ProfileView::of(p_);

private slots:
    /// Moving from any step to any other: each tile has the bytes of its variables, and their sum
    /// is that of the liveness curve.
    void liveBytesAreThoseOfTheVariables() {
        std::mt19937 random(9);
        for (int round = 0; round < 20; ++round) {
            const Profile p = randomProfile(random);
            const LivenessSeries series = livenessOf(p.info.target, p.variables, p.livenessClasses,
                                                     p.steps.size(), TileSelection::all());
            const TileSeries always = alwaysLiveBytesByTile(p.variables);
            LiveBytes live(changesOf(p));
            for (int i = 0; i < 60; ++i) {
                const StepId step(static_cast<std::int32_t>(random() % p.steps.size()));
                const std::vector<std::int64_t>& bytes = live.at(step);
                QCOMPARE(sum(bytes), series.alwaysLive + series.notAlwaysLive[step.index()]);
                QCOMPARE(bytes, (always + liveBytesByTile(p.variables, p.livenessClasses,
                                                          p.steps.size(), step))
                                    .toDense(p.info.target.totalTiles()));
            }
            for (std::size_t step = 0; step < p.steps.size(); ++step)
                QCOMPARE(sum(live.at(StepId(step))),
                         series.alwaysLive + series.notAlwaysLive[step]);
        }
    }

    void damagedLifetimesAreRefused() {
        Profile p = sampleProfile();
        p.livenessClasses[LivenessClassId(0)].intervals.back().end = StepId(p.steps.size() + 5);
        QVERIFY_EXCEPTION_THROWN((void)changesOf(p), UserError);
        Profile other = sampleProfile();
        for (Variable& v : other.variables)
            if (!v.alwaysLive)
                v.liveness = LivenessClassId(9999);
        QVERIFY_EXCEPTION_THROWN((void)changesOf(other), UserError);
        LiveBytes live(changesOf(p_));
        QVERIFY_EXCEPTION_THROWN((void)live.at(StepId(p_.steps.size())), UserError);
        QVERIFY_EXCEPTION_THROWN((void)live.at(StepId()), UserError);
    }

    void memoryGoesOverTheSteps() {
        const auto film = tileFilm(*view_, FilmKind::LiveMemory);
        QCOMPARE(film->frames(), static_cast<std::int64_t>(p_.steps.size()));
        std::int64_t most = 0;
        for (std::int64_t i = 0; i < film->frames(); ++i) {
            const FilmFrame frame = film->frame(i);
            QCOMPARE(frame.number, i);
            QCOMPARE(frame.step, StepId(static_cast<std::int32_t>(i)));
            QCOMPARE(frame.program, p_.steps[frame.step]);
            QCOMPARE(film->frameOf(frame.step), i);
            QVERIFY(!frame.name.empty());
            for (const std::int64_t value : frame.values)
                most = std::max(most, value);
        }
        QVERIFY(most <= film->largest());
        QVERIFY_EXCEPTION_THROWN((void)film->frame(film->frames()), UserError);
        QCOMPARE(film->frameOf(StepId()), -1);
    }

    /// Bytes of a transfer on the tiles of the IPUs that run it.
    void transfersHaveTheBytesOfTheirTiles() {
        const auto in = tileFilm(*view_, FilmKind::BytesReceived);
        const auto out = tileFilm(*view_, FilmKind::BytesSent);
        QCOMPARE(in->frames(), view_->trace()->stepCount());
        int exchanges = 0;
        for (std::int64_t i = 0; i < std::min<std::int64_t>(in->frames(), 200); ++i) {
            const FilmFrame received = in->frame(i);
            const FilmFrame sent = out->frame(i);
            QCOMPARE(received.cycle, sent.cycle);
            if (!received.program.valid() || !p_.programs[received.program].exchange.valid())
                continue;
            const Exchange& exchange = p_.exchanges[p_.programs[received.program].exchange];
            const ExecutedStep step = view_->trace()->stepAt(i);
            for (const StepOnIpu& on : step.ipus) {
                ++exchanges;
                const std::int32_t first = on.ipu.value() * p_.info.target.tilesPerIpu;
                for (std::int32_t t = first; t < first + p_.info.target.tilesPerIpu; ++t) {
                    QCOMPARE(received.values[static_cast<std::size_t>(t)],
                             exchange.bytesReceived.at(TileId(t)));
                    QCOMPARE(sent.values[static_cast<std::size_t>(t)],
                             exchange.bytesSent.at(TileId(t)));
                }
            }
            QVERIFY(exchange.bytesReceived.max().value <= in->largest());
        }
        QVERIFY(exchanges > 0);
    }

    void activeTilesAreThoseOfTheStep() {
        const auto film = tileFilm(*view_, FilmKind::Activity);
        QCOMPARE(film->largest(), std::int64_t{100});
        const auto trace = view_->trace();
        int sets = 0;
        for (std::int64_t i = 0; i < std::min<std::int64_t>(film->frames(), 200); ++i) {
            const FilmFrame frame = film->frame(i);
            const ExecutedStep step = trace->stepAt(i);
            if (!step.program.valid() || !p_.programs[step.program].computeSet.valid())
                continue;
            ++sets;
            for (const StepOnIpu& on : step.ipus) {
                const std::int32_t first = on.ipu.value() * p_.info.target.tilesPerIpu;
                std::int64_t active = 0;
                for (std::int32_t t = first; t < first + p_.info.target.tilesPerIpu; ++t) {
                    const std::int64_t value = frame.values[static_cast<std::size_t>(t)];
                    QVERIFY(value >= 0 && value <= 100);
                    active += value > 0 ? 1 : 0;
                }
                QCOMPARE(active, on.activeTiles);
            }
            QCOMPARE(frame.cycle, step.ipus.front().start);
            QCOMPARE(film->frameOf(frame.step), trace->findProgram(step.program, -1));
        }
        QVERIFY(sets > 0);
    }

    void withoutExecutionThereAreNoFrames() {
        const Profile large = sampleProfile({.tooLarge = true});
        QCOMPARE(tileFilm(*ProfileView::of(large), FilmKind::Activity)->frames(), 0);
        QVERIFY(tileFilm(*ProfileView::of(large), FilmKind::LiveMemory)->frames() > 0);
    }
};

TILESCOPE_TEST(TileFilmTest)

} // namespace tile_film_test

#include "tile_film_test.moc"
