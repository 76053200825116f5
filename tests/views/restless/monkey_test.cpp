// Random events on the real window while its queries run. Long runs and those that failed:
//   TILESCOPE_MONKEY_SECONDS=3600 restless_tests restless_monkey_test    runs of new seeds, so long
//   TILESCOPE_MONKEY_PROFILES=A.pop:B.pop ...                             also on these
//   TILESCOPE_MONKEY_SEED=7 restless_tests restless_monkey_test          that seed's choices again
#include <QApplication>
#include <QDesktopServices>
#include <QSettings>
#include <QTemporaryDir>
#include <QtTest>
#include <ctime>
#include <random>

#include "core/base/error.h"
#include "tests/support/test_main.h"
#include "tests/views/restless/last_events.h"
#include "tests/views/restless/monkey.h"
#include "tests/views/restless/monkey_profiles.h"
#include "views/theme/style.h"

namespace monkey_test {
using namespace tilescope;

namespace {

/// Of processor: sanitizers make everything several times slower.
double usualSeconds() {
    return test::hasAddressSanitizer() ? 30 : 10;
}
constexpr int eventsOfRun = 10'000;
constexpr const char* schemes[] = {"http", "https", "file"}; // nothing is to be opened elsewhere

/// As the program's: a user error of an event is said, here left, and a fault of ours ends it.
class Application : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        try {
            return QApplication::notify(receiver, event);
        } catch (const UserError&) {
            return false;
        }
    }
};

double processorSeconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

} // namespace

class MonkeyTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    QStringList profiles_;
    std::set<QString> warnings_;
    static MonkeyTest* listener_;

    // Windows rewrite each other's files: each run begins with what the simulator has made.
    QStringList copies() {
        const QString to = folder_.filePath(QStringLiteral("open"));
        QDir(to).removeRecursively();
        QStringList files;
        for (const QString& profile : profiles_) {
            const QString folder =
                QStringLiteral("%1/%2%3")
                    .arg(to, QFileInfo(profile).dir().dirName())
                    .arg(files.size()); // folders of a user's may have the same name
            QDir().mkpath(folder);
            files << folder + QStringLiteral("/profile.pop");
            if (!QFile::copy(profile, files.back()))
                qFatal("cannot copy %s", qPrintable(profile));
        }
        return files;
    }

    /// Returns how many events there were before the time was up.
    int run(quint32 seed, double until) {
        const QString heading =
            QStringLiteral("monkey: TILESCOPE_MONKEY_SEED=%1 makes these choices again").arg(seed);
        std::fprintf(stderr, "%s\n", qPrintable(heading));
        test::tellLastEventsOnDeath(heading);
        test::Monkey monkey(seed, copies());
        int events = 0;
        while (events < eventsOfRun && processorSeconds() < until) {
            monkey.act();
            ++events;
            if (!monkey.complaints().isEmpty())
                qFatal("seed %u: %s\n%s", seed, qPrintable(monkey.complaints().join('\n')),
                       qPrintable(test::lastEvents()));
        }
        for (const QString& error : monkey.errors())
            std::fprintf(stderr, "monkey: shown: %s\n", qPrintable(error));
        std::fprintf(stderr, "monkey: %d events, profiles changed %d times, %zu reports seen\n",
                     events, monkey.changes(), monkey.reports().size());
        // Else it is stuck, and proves nothing.
        constexpr int fewest = 2000; // in fewer it may have met a few reports again and again
        if (events >= fewest && (monkey.changes() < events / 100 || monkey.reports().size() < 9))
            qFatal("seed %u: it does nothing\n%s", seed, qPrintable(test::lastEvents()));
        return events;
    }

private slots:
    void initTestCase() {
        QDir::setCurrent(folder_.path()); // what it saves has names that it types
        qputenv("XDG_DATA_HOME", QFile::encodeName(folder_.filePath("data")));
        QApplication::setStyle(new views::WindowStyle);
        QCoreApplication::setOrganizationName(QStringLiteral("TileScopeTest"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                           folder_.filePath("settings"));
        for (const char* scheme : schemes)
            QDesktopServices::setUrlHandler(QString::fromLatin1(scheme), this, "ignore");
        profiles_ = test::writeProfilesOfAllKinds(folder_.filePath("made"));
        test::putStandInForProgram(folder_.filePath("program"), profiles_.front());
        listener_ = this;
        qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) {
            if (text.startsWith(QLatin1String("This plugin does not support")))
                return; // the platform without a screen
            if (type == QtWarningMsg || type == QtCriticalMsg)
                listener_->warnings_.insert(text);
            else
                std::fprintf(stderr, "%s\n", qPrintable(text));
            if (type == QtFatalMsg)
                std::abort();
        });
    }
    void cleanupTestCase() {
        qInstallMessageHandler(nullptr);
        for (const char* scheme : schemes)
            QDesktopServices::unsetUrlHandler(QString::fromLatin1(scheme));
        for (const QString& text : warnings_)
            std::fprintf(stderr, "monkey: warning: %s\n", qPrintable(text));
    }

    void nothingItDoesEndsTheProgram() {
        const double wanted = qEnvironmentVariable("TILESCOPE_MONKEY_SECONDS").toDouble();
        const double until = processorSeconds() + (wanted > 0 ? wanted : usualSeconds());
        bool given = false;
        quint32 seed = qEnvironmentVariable("TILESCOPE_MONKEY_SEED").toUInt(&given);
        if (!given)
            seed = std::random_device()() % 1'000'000;
        int events = 0;
        do
            events += run(seed++, until);
        while (wanted > 0 && processorSeconds() < until);
        std::fprintf(stderr, "monkey: %d events\n", events);
        QVERIFY(events > 0);
    }

public slots:
    void ignore(const QUrl&) {}
};

MonkeyTest* MonkeyTest::listener_ = nullptr;

TILESCOPE_TEST(MonkeyTest, Application)

} // namespace monkey_test

#include "monkey_test.moc"
