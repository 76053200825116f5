// The film of the memory report: its clock is driven by hand.
#include <QComboBox>
#include <QSlider>
#include <QToolTip>
#include <QtTest>

#include "core/analysis/liveness/liveness.h"
#include "tests/support/test_main.h"
#include "tests/views/report_alone.h"
#include "views/memory/memory_view.h"

namespace film_test {
using namespace tilescope;
using namespace tilescope::views;

class FilmTest : public test::ReportAlone {
    Q_OBJECT

    std::unique_ptr<MemoryView> showFilm(const QStringList& files) {
        auto view = show<MemoryView>(files);
        view->showSection("film");
        settle();
        return view;
    }
    std::int64_t peakOfSource() const {
        return context_->reports.source()->livenessCurve()->peakStep().value();
    }
    static std::int64_t sumOf(const FilmPage& film, TileMap& map) {
        Q_UNUSED(film);
        std::int64_t sum = 0;
        for (const std::int64_t value : map.content().sides.front().values)
            sum += value;
        return sum;
    }

private slots:
    void init() { newContext(); }

    void theClockDecidesWhichFrameIsShown() {
        FilmPlayer player;
        QSignalSpy frames(&player, &FilmPlayer::frameChanged);
        QSignalSpy playing(&player, &FilmPlayer::playingChanged);
        player.play(); // nothing to play
        QVERIFY(!player.playing());
        player.setLength(100);
        player.setSpeed(10);
        player.advance(1000);
        QCOMPARE(player.frame(), 0); // does not play
        player.play();
        player.advance(99);
        QCOMPARE(player.frame(), 0);
        player.advance(2);
        QCOMPARE(player.frame(), 1);
        player.advance(899);
        QCOMPARE(player.frame(), 10);
        QCOMPARE(frames.count(), 2);
        player.setSpeed(2); // goes on from there
        player.advance(501);
        QCOMPARE(player.frame(), 11);
        player.advance(1e6);
        QCOMPARE(player.frame(), 99);
        QVERIFY(!player.playing());
        QCOMPARE(playing.count(), 2);
        player.play(); // once more from the first
        QCOMPARE(player.frame(), 0);
        player.stepBy(5);
        QVERIFY(!player.playing());
        QCOMPARE(player.frame(), 5);
        player.seek(1000);
        QCOMPARE(player.frame(), 99);
    }

    /// The frames shown are the ones announced, even if some are left out.
    void comingFramesAreThoseThatAreShown() {
        FilmPlayer player;
        player.setLength(10'000'000);
        player.setSpeed(10'000'000 / 15.0);
        player.seek(12345);
        player.play();
        std::vector<std::int64_t> coming = player.coming(50);
        QCOMPARE(coming.front(), 12345);
        QVERIFY(coming[1] - coming[0] > 20000);
        std::vector<std::int64_t> seen;
        player.setReady([&](std::int64_t frame) {
            return std::find(coming.begin(), coming.end(), frame) != coming.end();
        });
        connect(&player, &FilmPlayer::frameChanged, this,
                [&](std::int64_t frame) { seen.push_back(frame); });
        for (int i = 0; i < 40; ++i)
            player.advance(33);
        QVERIFY(seen.size() > 35);
        for (const std::int64_t frame : seen)
            QVERIFY(std::find(coming.begin(), coming.end(), frame) != coming.end());
    }

    void timeStandsStillWhileAFrameIsMade() {
        FilmPlayer player;
        bool there = false;
        QSignalSpy wanted(&player, &FilmPlayer::frameWanted);
        player.setReady([&](std::int64_t) { return there; });
        player.setLength(50);
        player.setSpeed(30);
        player.play();
        for (int i = 0; i < 10; ++i)
            player.advance(34);
        QCOMPARE(player.frame(), 0);
        QVERIFY(wanted.count() > 0);
        there = true;
        player.advance(34);
        QCOMPARE(player.frame(), 1);
    }

    void framesShowWhatIsLiveAtTheirStep() {
        const auto view = showFilm(one());
        FilmPage& film = view->film();
        QCOMPARE(film.shown(), peakOfSource()); // what is of most interest
        const auto series = livenessOf(*context_->reports.source(), TileSelection::all());
        for (const std::int64_t frame : {5, 2, 14}) {
            film.player().seek(frame);
            settle();
            QCOMPARE(film.shown(), frame);
            QCOMPARE(sumOf(film, film.map()),
                     series.alwaysLive + series.notAlwaysLive[static_cast<std::size_t>(frame)]);
            QVERIFY(film.stepText().startsWith(QStringLiteral("Step %1 of ").arg(frame)));
        }
    }

    void itPlaysByKeyAndSelectsWhereItStops() {
        const auto view = showFilm(one());
        FilmPage& film = view->film();
        film.map().setFocus();
        film.player().seek(0);
        settle();
        QTest::keyClick(&film.map(), Qt::Key_Space);
        QVERIFY(film.player().playing());
        const StepId before = selected().step;
        settle(); // frames ahead
        film.player().advance(250);
        QVERIFY(film.shown() >= 2);
        QCOMPARE(selected().step, before);
        QTest::keyClick(&film.map(), Qt::Key_Space);
        QVERIFY(!film.player().playing());
        settle();
        QCOMPARE(selected().step.value(), static_cast<std::int32_t>(film.shown()));
        QTest::keyClick(&film.map(), Qt::Key_Period);
        settle();
        QCOMPARE(selected().step.value(), static_cast<std::int32_t>(film.shown()));
        const std::int64_t at = film.shown();
        QTest::keyClick(&film.map(), Qt::Key_Comma);
        settle();
        QCOMPARE(film.shown(), at - 1);
        QTest::keyClick(&film.map(), Qt::Key_Home);
        settle();
        QCOMPARE(film.shown(), 0);
        QTest::keyClick(&film.map(), Qt::Key_End);
        settle();
        QCOMPARE(film.shown(), film.player().length() - 1);
    }

    void aStepSelectedElsewhereIsShown() {
        const auto view = showFilm(one());
        context_->selection.update([](Selected& s) { s.step = StepId(7); });
        settle();
        QCOMPARE(view->film().shown(), 7);
        auto& slider = *view->film().findChild<QSlider*>();
        QCOMPARE(slider.value(), 7);
        slider.setValue(3);
        settle();
        QCOMPARE(view->film().shown(), 3);
        QCOMPARE(selected().step, StepId(3));
        QTest::mouseClick(&view->film().map(), Qt::LeftButton, {},
                          view->film().map().tileRect(0, TileId(700)).center().toPoint());
        QCOMPARE(selected().tiles, std::vector<TileId>{TileId(700)});
    }

    /// The scale does not change from step to step, and values beyond it are red.
    void coloursCompareOverTheFilm() {
        const auto view = showFilm(one());
        FilmPage& film = view->film();
        const QColor colour = film.map().colourOf(film.map().content().sides.front(), 20000);
        film.player().seek(14);
        settle();
        QCOMPARE(film.map().colourOf(film.map().content().sides.front(), 20000), colour);
        QCOMPARE(
            film.map().colourOf(film.map().content().sides.front(), film.map().content().limit + 1),
            tooMuchColour(context_->theme.current()));
    }

    /// Only tiles that change are painted; the picture is as if all had been.
    void aFrameIsThePictureOfItsValues() {
        const auto view = showFilm(two());
        FilmPage& film = view->film();
        const auto picture = [&] { return film.map().grab().toImage(); };
        QVERIFY(!picture().isNull());
        film.player().seek(6);
        settle();
        film.player().seek(14);
        settle();
        const QImage changed = picture();
        film.map().setScale(ColourScale::Greys);
        film.map().setScale(ColourScale::Viridis); // repaints everything
        QCOMPARE(changed, picture());
    }

    void activityAndBytesGoOverExecutedSteps() {
        const auto view = showFilm(one());
        FilmPage& film = view->film();
        const auto trace = context_->reports.source()->trace({});
        for (const char* kind : {"Activity", "Bytes received", "Bytes sent"}) {
            view->showSection(kind);
            settle();
            QCOMPARE(film.player().length(), trace->stepCount());
            film.player().seek(20);
            settle();
            QVERIFY(film.stepText().startsWith("Executed step 20 of "));
            QCOMPARE(film.map().content().perCent, kind == QLatin1String("Activity"));
        }
        // A profile without execution says so.
        open({files_.write("large.pop", {.tooLarge = true})});
        settle();
        QVERIFY(!film.map().isVisible());
    }

    /// The tool tip of the tile under the pointer is about the frame that is shown.
    void whatIsSaidOfATileIsOfItsFrame() {
        const auto view = showFilm(one());
        FilmPage& film = view->film();
        QString said;
        connect(&film, &FilmPage::status, this, [&said](const QString& text) { said = text; });
        const auto series = livenessOf(*context_->reports.source(), TileSelection::all());
        const QPointF at = film.map().tileRect(0, TileId(0)).center();
        QMouseEvent move(QEvent::MouseMove, at, film.map().mapToGlobal(at), Qt::NoButton,
                         Qt::NoButton, Qt::NoModifier);
        const auto valueText = [&] {
            return context_->preferences.bytes(film.map().content().sides.front().values[0]);
        };
        QCoreApplication::sendEvent(&film.map(), &move);
        QVERIFY2(said.endsWith(valueText()), qPrintable(said));
        QSet<QString> values{valueText()};
        for (std::int64_t frame = 1; frame < film.player().length(); ++frame) {
            film.player().seek(frame);
            settle();
            QVERIFY2(said.endsWith(valueText()), qPrintable(said));
            if (QToolTip::isVisible())
                QVERIFY(QToolTip::text().contains(valueText()));
            values.insert(valueText());
        }
        QVERIFY(values.size() > 1); // else no text could be outdated
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(&film.map(), &leave);
        film.player().seek(0);
        settle();
        QVERIFY(said.isEmpty());
    }

    void theFilmOfAPairIsOfEither() {
        const auto view = showFilm(two());
        FilmPage& film = view->film();
        QComboBox& side = test::choiceOf(film, "Film of");
        QVERIFY(side.isVisible());
        QCOMPARE(film.map().content().sides.front().title, QString("Source"));
        side.setCurrentIndex(1);
        settle();
        const ProfileView& target = *context_->reports.target();
        QCOMPARE(film.map().content().sides.front().title, QString("Target"));
        QCOMPARE(film.map().content().sides.front().values.size(),
                 static_cast<std::size_t>(target.machine().totalTiles()));
        const auto series = livenessOf(target, TileSelection::all());
        film.player().seek(5);
        settle();
        QCOMPARE(sumOf(film, film.map()), series.alwaysLive + series.notAlwaysLive[5]);
        // Selected steps and tiles are the source's.
        const Selected before = selected();
        QTest::keyClick(&film.map(), Qt::Key_Period);
        settle();
        QTest::mouseClick(
            &film.map(), Qt::LeftButton, {},
            film.map().tileRect(0, TileId(target.machine().totalTiles() - 1)).center().toPoint());
        QCOMPARE(film.shown(), 6);
        QVERIFY(selected() == before);
        open(one());
        settle();
        QVERIFY(!side.isVisible());
        QCOMPARE(film.map().content().sides.front().title, QString());
    }

    void itStopsWhenItIsNotSeen() {
        const auto view = showFilm(one());
        view->film().player().play();
        test::choose(*view, "Graph", "Tile map");
        settle();
        QVERIFY(!view->film().player().playing());
    }
};

TILESCOPE_TEST(FilmTest, QApplication)

} // namespace film_test

#include "film_test.moc"
