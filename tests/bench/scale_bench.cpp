// How the window bears a large profile:
//   scale_bench [--where] [PROFILE [TARGET]]
// prints, for each figure, what is wanted and what was got; with --where also where the window's
// thread is when its event loop has been blocked for too long; with a target also what frames take
// of both aligned by operation. Without a profile it has
// scale_profile write one of 10 million trace steps, 64 IPUs and 100,000 variables. Without a
// display the offscreen platform is used. Where other programs run, `chrt -r 2 scale_bench` goes
// before them. Other programs on the same data: scale_pairs.sh.
#include <QApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <cstdio>
#include <fstream>
#include <string>

#include "app/gui/frame_exercise.h"
#include "tests/bench/thread_stack.h"
#include "tests/support/loop_watch.h"
#include "tests/support/scale_profile.h"
#include "views/execution/trace_view.h"
#include "views/theme/style.h"

using namespace tilescope;
using namespace tilescope::gui;

namespace {

constexpr double firstPlotMs = 1000;
constexpr double residentMb = 500;
constexpr double frameMs = 16;
constexpr double searchMs = 1000;
constexpr double blockedMs = 50;
constexpr int patienceMs = 120'000;

void tell(const QString& figure, double wanted, double got, const char* unit) {
    std::printf("%-46s wanted < %6.0f %-3s got %8.1f %-3s %s\n", qPrintable(figure), wanted, unit,
                got, unit, got >= 0 && got < wanted ? "good" : "MISSED");
    std::fflush(stdout);
}

/// The largest resident memory that a process has had, MB.
double peakMemory(const std::string& process) {
    std::ifstream status("/proc/" + process + "/status");
    std::string key;
    while (status >> key) {
        if (key == "VmHWM:") {
            double kib = 0;
            status >> kib;
            return kib * 1024 / 1e6;
        }
        std::getline(status, key);
    }
    return -1;
}

/// Starts the window as a user would and waits for its first plot.
struct FirstPlot {
    double milliseconds = -1;
    double megabytes = -1;
};
FirstPlot firstPlot(const QString& profile, const QString& view, const QString& home) {
    QProcess window;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home);
    window.setProcessEnvironment(environment);
    window.setReadChannel(QProcess::StandardError);
    window.start(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope-gui"),
                 {QStringLiteral("--frame-times"), QStringLiteral("--view"), view, profile});
    FirstPlot result;
    QByteArray text;
    const QByteArray mark("first plot after ");
    while (window.waitForReadyRead(patienceMs)) {
        text += window.readAllStandardError();
        const qsizetype at = text.indexOf(mark);
        if (at < 0 || text.indexOf(" ms", at) < 0)
            continue;
        const qsizetype first = at + mark.size();
        result.milliseconds = text.mid(first, text.indexOf(" ms", first) - first).toDouble();
        result.megabytes = peakMemory(std::to_string(window.processId()));
        break;
    }
    window.kill();
    window.waitForFinished();
    return result;
}

/// A window in this process, whose event loop is watched.
class Measured {
public:
    Measured(const QStringList& profiles, bool where)
        : watch_(blockedMs, where ? tellStack() : nullptr) {
        constexpr QSize size(1920, 1080);
        window_.resize(size);
        window_.show();
        QObject::connect(&window_.context().reports, &views::ReportPair::failed, &window_,
                         [](const QString&, const QString& text) {
                             std::fprintf(stderr, "scale_bench: error: %s\n", qPrintable(text));
                             std::exit(2);
                         });
        (void)watch_.takeLongest();
        window_.openProfiles(profiles);
        waitUntil([this] { return window_.context().reports.source() != nullptr; });
        waitUntilIdle();
        blocked(QStringLiteral("opening"));
    }

    /// Opens the trace anew, and says how long it takes until it is complete.
    void openTrace(bool withTracks) {
        auto& trace = static_cast<views::TraceView&>(window_.view(Report::Trace));
        for (const views::TrackPlot* plot : trace.tracks().plots())
            trace.tracks().setShown(plot->track().name(),
                                    withTracks && plot->track().shownAtFirst());
        const QString profile = QString::fromStdString(window_.context().reports.source()->file());
        window_.showReport(Report::Summary);
        waitUntilIdle();
        QElapsedTimer timer;
        timer.start();
        window_.context().reports.close();
        window_.openProfiles({profile});
        window_.showReport(Report::Trace);
        waitUntil([this] { return window_.context().reports.source() != nullptr; });
        waitUntilIdle();
        std::printf("%-46s %30.0f ms\n",
                    withTracks ? "trace opened with tracks" : "trace opened without tracks",
                    static_cast<double>(timer.elapsed()));
    }

    void showReports() {
        for (const Report report : reports) {
            if (report == Report::Compare)
                continue; // of one profile there is nothing to compare
            QElapsedTimer timer;
            timer.start();
            window_.showReport(report);
            waitUntilIdle();
            std::printf("%-46s %23.0f ms, %.0f MB\n",
                        qPrintable(reportName(report) + " complete after"),
                        static_cast<double>(timer.elapsed()), peakMemory("self"));
            blocked(reportName(report));
        }
    }

    void search() {
        auto& trace = static_cast<views::TraceView&>(window_.view(Report::Trace));
        window_.showReport(Report::Trace);
        waitUntilIdle();
        for (const char* text : {test::scaleSearchText, "convolve", "no such program"}) {
            QElapsedTimer timer;
            timer.start();
            trace.search().setText(QString::fromUtf8(text));
            waitUntilIdle();
            tell(QStringLiteral("search '%1' (%2)")
                     .arg(QString::fromUtf8(text), trace.search().findChild<QLabel*>()->text()),
                 searchMs, static_cast<double>(timer.elapsed()), "ms");
            timer.restart();
            emit trace.search().stepWanted(false);
            waitUntilIdle();
            tell(QStringLiteral("  its last match"), searchMs, static_cast<double>(timer.elapsed()),
                 "ms");
        }
        trace.search().setText({});
        waitUntilIdle();
        blocked(QStringLiteral("search"));
    }

    void exerciseFrames() {
        FrameExercise exercise(window_);
        bool finished = false;
        QObject::connect(&exercise, &FrameExercise::measured, &window_, [&](const QString& line) {
            const QString name = line.section(QLatin1Char(':'), 0, 0);
            tell(QStringLiteral("longest frame, %1").arg(name), frameMs,
                 window_.context().frameTimes.longest(), "ms");
            std::printf("  %s\n", qPrintable(line));
            blocked(QStringLiteral("zooming and panning, ") + name);
        });
        QObject::connect(&exercise, &FrameExercise::finished, &window_, [&] { finished = true; });
        exercise.start();
        waitUntil([&] { return finished; });
    }

private:
    template <class Holds> void waitUntil(const Holds& holds) {
        while (!holds())
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
    void waitUntilIdle() {
        QCoreApplication::processEvents();
        waitUntil([this] { return window_.context().workers.idle(); });
        QCoreApplication::processEvents();
    }
    void blocked(const QString& by) {
        tell(QStringLiteral("event loop blocked by %1").arg(by), blockedMs, watch_.takeLongest(),
             "ms");
    }

    static std::function<void()> tellStack() {
        return [thread = pthread_self()] { bench::printStack(thread); };
    }

    MainWindow window_{Memory::None};
    test::LoopWatch watch_;
};

bool writeProfile(const QString& file) {
    std::printf("writing %s\n", qPrintable(file));
    QProcess generator;
    generator.setProcessChannelMode(QProcess::ForwardedChannels);
    generator.start(QCoreApplication::applicationDirPath() + QStringLiteral("/scale_profile"),
                    {file});
    generator.waitForFinished(-1);
    return generator.exitStatus() == QProcess::NormalExit && generator.exitCode() == 0;
}

} // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && qEnvironmentVariableIsEmpty("DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    QApplication::setStyle(new views::WindowStyle);
    const QTemporaryDir folder;
    QStringList arguments = QApplication::arguments().mid(1);
    const bool where = arguments.removeAll(QStringLiteral("--where")) > 0;
    const QString profile = arguments.value(0, folder.filePath(QStringLiteral("scale.pop")));
    if (arguments.isEmpty() && !writeProfile(profile))
        return 2;
    if (!QFileInfo(profile).isFile()) {
        std::fprintf(stderr, "scale_bench: there is no file '%s'\n", qPrintable(profile));
        return 2;
    }
    std::printf("%s: %.0f MB\n", qPrintable(profile),
                static_cast<double>(QFileInfo(profile).size()) / 1e6);
    for (const char* view : {"summary", "trace"}) {
        const QString name = QString::fromUtf8(view);
        (void)firstPlot(profile, name, folder.path()); // warms the cache
        const FirstPlot first = firstPlot(profile, name, folder.path());
        tell(QStringLiteral("first plot, %1").arg(name), firstPlotMs, first.milliseconds, "ms");
        tell(QStringLiteral("resident then"), residentMb, first.megabytes, "MB");
    }
    if (arguments.size() > 1) {
        Measured both(arguments.mid(0, 2), where);
        both.exerciseFrames();
    } else {
        Measured window({profile}, where);
        for (const bool withTracks : {false, true})
            window.openTrace(withTracks);
        window.search();
        window.exerciseFrames();
        tell(QStringLiteral("resident after zooming and searching"), residentMb, peakMemory("self"),
             "MB");
        window.showReports();
    }
    tell(QStringLiteral("resident after every report"), residentMb, peakMemory("self"), "MB");
    return 0;
}
