// Background queries, opening, selection and zoom.
#include <QSignalSpy>
#include <QtTest>
#include <condition_variable>
#include <mutex>

#include "core/base/error.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "views/query/background_query.h"
#include "views/query/shared_work.h"
#include "views/session/report_pair.h"
#include "views/session/selection.h"
#include "views/session/zoom_range.h"

namespace session_test {
using namespace tilescope;
using namespace tilescope::views;

namespace {

// A worker's task that ends when the test opens the gate or requests a stop.
class Gate {
public:
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    void wait(std::stop_token stop) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, stop, [this] { return open_; });
        if (stop.stop_requested())
            throw Cancelled();
    }

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool open_ = false;
};

} // namespace

class SessionTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;

private slots:
    void deliversInThisThread() {
        Workers workers;
        BackgroundQuery query(workers);
        QSignalSpy delivered(&query, &BackgroundQuery::delivered);
        QThread* worker = nullptr;
        QThread* receiver = nullptr;
        query.start([&](const std::stop_token&) -> BackgroundQuery::Deliver {
            worker = QThread::currentThread();
            return [&] { receiver = QThread::currentThread(); };
        });
        QVERIFY(query.running());
        QVERIFY(!workers.idle());
        QTRY_COMPARE(delivered.count(), 1);
        QCOMPARE(receiver, thread());
        QVERIFY(worker != receiver);
        QVERIFY(workers.idle());
    }

    // Answers hold tables of a hundred thousand rows.
    void answersAreNotCopied() {
        struct Answer {
            explicit Answer(int& count)
                : copies(&count) {}
            Answer(const Answer& other)
                : copies(other.copies) {
                ++*copies;
            }
            Answer(Answer&&) = default;
            int* copies;
        };
        Workers workers;
        BackgroundQuery query(workers);
        QSignalSpy delivered(&query, &BackgroundQuery::delivered);
        int copies = 0;
        bool came = false;
        query.start([&](const std::stop_token&) -> BackgroundQuery::Deliver {
            return [&came, answer = Answer(copies)] { came = answer.copies != nullptr; };
        });
        QTRY_COMPARE(delivered.count(), 1);
        QVERIFY(came);
        QCOMPARE(copies, 0);
    }

    void userErrorsArriveAsText() {
        Workers workers;
        BackgroundQuery query(workers);
        QSignalSpy failed(&query, &BackgroundQuery::failed);
        query.start([](const std::stop_token&) -> BackgroundQuery::Deliver {
            throw UserError("no such tile");
        });
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed[0][0].toString(), QStringLiteral("no such tile"));
        query.start([](const std::stop_token&) -> BackgroundQuery::Deliver {
            throw InternalError("broken");
        });
        QTRY_COMPARE(failed.count(), 2);
        QCOMPARE(failed[1][0].toString(), QStringLiteral("Internal error: broken"));
    }

    void sharedWorkIsDoneOnce() {
        constexpr std::size_t count = 1000;
        for (const Cores cores : {Cores::All, Cores::AllButOne}) {
            std::vector<std::atomic<int>> done(count);
            shareWork(count, cores, [&](std::size_t at) { ++done[at]; });
            QVERIFY(std::all_of(done.begin(), done.end(),
                                [](const auto& times) { return times == 1; }));
            shareWork(0, cores, [](std::size_t) { QFAIL("there is nothing to do"); });
        }
    }

    void sharedWorkEndsWithWhatItThrew() {
        for (const std::size_t bad : {0, 1, 7}) {
            bool threw = false;
            try {
                shareWork(8, Cores::All, [&](std::size_t at) {
                    if (at == bad)
                        throw UserError("damaged");
                });
            } catch (const UserError&) {
                threw = true;
            }
            QVERIFY(threw);
        }
    }

    void aDeliveryThatThrowsIsAFailure() {
        Workers workers;
        BackgroundQuery query(workers);
        QSignalSpy failed(&query, &BackgroundQuery::failed);
        QSignalSpy delivered(&query, &BackgroundQuery::delivered);
        query.start([](const std::stop_token&) -> BackgroundQuery::Deliver {
            return [] { throw std::out_of_range("row 7"); };
        });
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed[0][0].toString(), "Internal error: row 7");
        QCOMPARE(delivered.count(), 0);
        QVERIFY(workers.idle());
    }

    void aFailureThatNobodyShowsReachesTheWindow() {
        Workers workers;
        QSignalSpy told(&workers, &Workers::failed);
        const BackgroundQuery::Work work = [](const std::stop_token&) -> BackgroundQuery::Deliver {
            throw UserError("no such thing");
        };
        BackgroundQuery unseen(workers);
        unseen.start(work);
        QTRY_COMPARE(told.count(), 1);
        QCOMPARE(told[0][0].toString(), "no such thing");
        BackgroundQuery seen(workers);
        QSignalSpy failed(&seen, &BackgroundQuery::failed);
        seen.start(work);
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(told.count(), 1);
    }

    void aNewQueryDropsTheOldResult() {
        Workers workers;
        BackgroundQuery query(workers);
        Gate gate;
        QStringList shown;
        query.start([&](const std::stop_token&) -> BackgroundQuery::Deliver {
            std::stop_source never;
            gate.wait(never.get_token());
            return [&] { shown << "old"; };
        });
        QSignalSpy delivered(&query, &BackgroundQuery::delivered);
        query.start([&](const std::stop_token&) -> BackgroundQuery::Deliver {
            return [&] { shown << "new"; };
        });
        gate.open();
        QTRY_COMPARE(delivered.count(), 1);
        QVERIFY(workers.wait(10000));
        QCoreApplication::processEvents();
        QCOMPARE(shown, QStringList{"new"});
        QVERIFY(workers.idle());
    }

    void cancelStopsTheWork() {
        Workers workers;
        BackgroundQuery query(workers);
        Gate gate;
        QSignalSpy cancelled(&query, &BackgroundQuery::cancelled);
        QSignalSpy delivered(&query, &BackgroundQuery::delivered);
        query.start([&](const std::stop_token& stop) -> BackgroundQuery::Deliver {
            gate.wait(stop);
            return {};
        });
        query.cancel();
        QCOMPARE(cancelled.count(), 1);
        QVERIFY(workers.idle());
        QVERIFY(workers.wait(10000));
        QCoreApplication::processEvents();
        QCOMPARE(delivered.count(), 0);
    }

    void slowQueriesSaySo() {
        Workers workers;
        BackgroundQuery query(workers);
        Gate gate;
        QSignalSpy slow(&query, &BackgroundQuery::slow);
        query.start([&](const std::stop_token& stop) -> BackgroundQuery::Deliver {
            gate.wait(stop);
            return {};
        });
        QTRY_COMPARE(slow.count(), 1);
        gate.open();
        QTRY_VERIFY(!query.running());
    }

    void aDestroyedQueryIsHarmless() {
        Workers workers;
        Gate gate;
        {
            BackgroundQuery query(workers);
            query.start([&](const std::stop_token& stop) -> BackgroundQuery::Deliver {
                gate.wait(stop);
                return [] { qFatal("delivered to nobody"); };
            });
        }
        QVERIFY(workers.idle());
        QVERIFY(workers.wait(10000));
        QCoreApplication::processEvents();
    }

    void reloadingDoesNotBringBackWhatIsBeingReplaced() {
        Workers workers;
        ReportPair pair(workers);
        QSignalSpy changed(&pair, &ReportPair::changed);
        const auto path = [&](const QString& name) { return files_.write(name).toStdString(); };
        pair.open(path("open.pop"));
        QTRY_COMPARE(changed.count(), 1);
        const std::string other = path("other.pop");
        pair.open(path("open.pop"), other); // writes it again, which the window notices
        pair.reload();
        QTRY_COMPARE(changed.count(), 2);
        QTRY_VERIFY(workers.idle());
        QVERIFY(pair.target() && pair.target()->file() == other);
    }

    void anAnswerAboutProfilesThatWereLeftIsDropped() {
        Workers workers;
        ReportPair pair(workers);
        BackgroundQuery about(workers);
        BackgroundQuery other(workers, About::Other);
        Gate gate;
        QStringList shown;
        const auto ask = [&](const QString& name) {
            return [&gate, &shown, name](const std::stop_token&) -> BackgroundQuery::Deliver {
                std::stop_source never;
                gate.wait(never.get_token());
                return [&shown, name] { shown << name; };
            };
        };
        about.start(ask("about"));
        about.startNext(ask("about, next"));
        other.start(ask("other"));
        pair.close();
        QVERIFY(!about.running());
        gate.open();
        QTRY_VERIFY(!other.running());
        QVERIFY(workers.wait(10000));
        QCoreApplication::processEvents();
        QCOMPARE(shown, QStringList{"other"});
        QVERIFY(workers.idle());
    }

    // The answer has been posted, and the profiles are left before it arrives.
    void anAnswerThatIsOnItsWayIsDropped() {
        Workers workers;
        ReportPair pair(workers);
        BackgroundQuery query(workers);
        query.start([](const std::stop_token&) -> BackgroundQuery::Deliver {
            return [] { qFatal("delivered to nobody"); };
        });
        QVERIFY(workers.wait(10000));
        pair.close();
        QCoreApplication::processEvents();
        QVERIFY(workers.idle());
    }

    void opensOneAndTwo() {
        Workers workers;
        ReportPair pair(workers);
        QSignalSpy changed(&pair, &ReportPair::changed);
        const QString a = files_.write("a.pop");
        const QString b = files_.write("b.pop", {.changed = true});
        pair.open(a.toStdString());
        QTRY_COMPARE(changed.count(), 1);
        QVERIFY(pair.source() && !pair.target());
        pair.open(a.toStdString(), b.toStdString());
        QTRY_COMPARE(changed.count(), 2);
        QVERIFY(pair.profiles().comparing());
        const ProfileViewPtr source = pair.source();
        pair.swap();
        QCOMPARE(pair.target(), source);
        pair.closeTarget();
        QVERIFY(!pair.target());
        pair.close();
        QVERIFY(!pair.source());
    }

    void aFolderStandsForItsProfile() {
        QVERIFY(QDir(files_.path(".")).mkpath("run"));
        files_.write("run/profile.pop");
        Workers workers;
        ReportPair pair(workers);
        pair.open(files_.path("run").toStdString());
        QTRY_VERIFY(pair.source());
    }

    void badFilesAreExplained_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("text");
        QTest::newRow("missing") << files_.path("none.pop") << "no such file";
        QTest::newRow("empty") << files_.writeBytes("empty.pop", {}) << "is empty";
        QTest::newRow("foreign") << files_.writeBytes("foreign.pop", QByteArray(5000, 'x'))
                                 << "foreign.pop";
        QTest::newRow("truncated") << files_.writeTruncated("cut.pop") << "truncated";
        QTest::newRow("folder without a profile") << files_.path(".") << "directory";
    }
    void badFilesAreExplained() {
        QFETCH(QString, file);
        QFETCH(QString, text);
        Workers workers;
        ReportPair pair(workers);
        pair.open(files_.write("good.pop").toStdString());
        QTRY_VERIFY(pair.source());
        const ProfileViewPtr before = pair.source();
        QSignalSpy failed(&pair, &ReportPair::failed);
        pair.open(file.toStdString());
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY2(failed[0][1].toString().contains(text), qPrintable(failed[0][1].toString()));
        QCOMPARE(pair.source(), before);
    }

    void partsAreLoadedOnce() {
        const ProfileViewPtr profile = test::openSample(files_.write("parts.pop"));
        const std::stop_token go;
        QCOMPARE(profile->variables(go), profile->variables(go));
        QVERIFY(!profile->variables(go)->empty());
        QCOMPARE(views::profileTitle(*profile), QStringLiteral("sample on mk2"));
    }

    void aStoppedPartCanBeLoadedAgain() {
        const ProfileViewPtr profile = test::openSample(files_.write("stopped.pop"));
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY_THROWS_EXCEPTION(Cancelled, (void)profile->variables(stopped.get_token()));
        QVERIFY(!profile->variables({})->empty());
    }

    void aSelectionIsToldOnce() {
        Selection selection;
        QSignalSpy changed(&selection, &Selection::changed);
        selection.update([](Selected& s) { s.tiles = {TileId(5)}; });
        selection.update([](Selected& s) { s.tiles = {TileId(5)}; });
        QCOMPARE(changed.count(), 1);
        selection.clear();
        QCOMPARE(changed.count(), 2);
        QCOMPARE(selection.current(), Selected());
    }

    void zoomStaysWithinItsLimits() {
        ZoomRange zoom;
        zoom.setLimits(0, 1000, 10);
        zoom.zoomAt(500, 0.1);
        QCOMPARE(zoom.from(), 450.0);
        QCOMPARE(zoom.to(), 550.0);
        zoom.panBy(10);
        QCOMPARE(zoom.to(), 1000.0);
        QCOMPARE(zoom.span(), 100.0);
        zoom.zoomAt(1000, 1e-6);
        QCOMPARE(zoom.span(), 10.0);
        zoom.zoomAt(500, 1e9);
        QVERIFY(zoom.showsAll());
        zoom.setRange(300, 302);
        QCOMPARE(zoom.from(), 296.0);
        zoom.setRange(qQNaN(), 5);
        QCOMPARE(zoom.from(), 296.0);
        zoom.fit();
        QVERIFY(zoom.showsAll());
    }

    void zoomKeepsThePointerStill() {
        ZoomRange zoom;
        zoom.setLimits(0, 1e12, 1);
        for (int i = 0; i < 50; ++i) {
            zoom.zoomAt(123456789012.0, 0.8);
            const double share = (123456789012.0 - zoom.from()) / zoom.span();
            QVERIFY(qAbs(share - 0.123456789012) < 1e-3);
        }
    }
};

TILESCOPE_TEST(SessionTest, QCoreApplication)

} // namespace session_test

#include "session_test.moc"
