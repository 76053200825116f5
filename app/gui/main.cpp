// tilescope-gui: the window. Exit status: 0 good, 2 wrong usage or input, 3 internal error.
#include <QApplication>
#include <QIcon>
#include <QTimer>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <new>
#include <system_error>
#include <unistd.h>

#include "app/gui/application.h"
#include "app/gui/arguments.h"
#include "app/gui/askpass.h"
#include "app/gui/frame_exercise.h"
#include "app/gui/grabber.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/window_list.h"
#include "core/base/end_signals.h"
#include "core/base/error.h"
#include "core/base/lack_of_memory.h"
#include "core/base/printable.h"
#include "views/plot/plot_widget.h"
#include "views/theme/style.h"
#include "views/widgets/write_output.h"

namespace {

using namespace tilescope;

QtMessageHandler beforeFatal = nullptr;

int userError(const QString& text) {
    std::fprintf(stderr, "tilescope-gui: error: %s\n",
                 printable(text.toStdString(), Lines::Keep).c_str());
    return 2;
}

QStringList argumentsOf(int argc, char** argv) {
    QStringList list;
    for (int i = 1; i < argc; ++i)
        list.append(QString::fromLocal8Bit(argv[i]));
    return list;
}

// Milliseconds since the process was started, which is before main(); negative if unknown.
double sinceProcessStart() {
    std::ifstream stat("/proc/self/stat");
    std::ifstream uptime("/proc/uptime");
    std::string text;
    double up = 0;
    if (!std::getline(stat, text) || !(uptime >> up))
        return -1;
    // The name, second in the line, may contain blanks: count from its closing parenthesis.
    const QStringList fields =
        QString::fromStdString(text.substr(text.rfind(')') + 2)).split(QLatin1Char(' '));
    constexpr int startField = 19;
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    return (up - fields.value(startField).toDouble() / ticks) * 1000;
}

/// Fatal errors of Qt, such as a missing display, are errors of the environment.
void endOnFatal(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    if (type != QtFatalMsg)
        return beforeFatal(type, context, text);
    removeTemporariesAndExit(userError(text));
}

int runGrabs(gui::Application& app, gui::MainWindow& window, const gui::Arguments& arguments) {
    app.endOnErrors();
    gui::Grabber grabber(window, arguments);
    int status = 0;
    QObject::connect(&grabber, &gui::Grabber::failed, &app, [&](const QString& text) {
        status = userError(text);
        QTimer::singleShot(0, &app, [&] { QApplication::exit(status); });
    });
    QObject::connect(
        &grabber, &gui::Grabber::finished, &app, [] { QApplication::exit(0); },
        Qt::QueuedConnection);
    window.show();
    grabber.start();
    window.openProfiles(arguments.profiles);
    // Screens without a profile, and results of sweeps, do not open one.
    if (arguments.profiles.isEmpty() || window.sweep() != nullptr || window.several() != nullptr)
        QMetaObject::invokeMethod(&grabber, &gui::Grabber::begin, Qt::QueuedConnection);
    return QApplication::exec();
}

void prepare(gui::MainWindow& window, const gui::Arguments& arguments) {
    if (arguments.theme || !arguments.grabs.empty())
        window.context().preferences.setTheme(arguments.theme.value_or(views::ThemeChoice::Light));
    if (arguments.size)
        window.resize(*arguments.size);
}

// Prints once when the first plot with data is on the screen: the frame after all data arrived.
void reportFirstPlot(gui::MainWindow& window) {
    views::ViewContext& context = window.context();
    auto* once = new QObject(&window);
    auto said = std::make_shared<bool>(false);
    QObject::connect(&context.frameTimes, &views::FrameTimes::recorded, once,
                     [&context, once, said] {
                         if (*said || !context.reports.source() || !context.workers.idle())
                             return;
                         *said = true;
                         std::fprintf(stderr, "first plot after %.0f ms\n", sinceProcessStart());
                         once->deleteLater();
                     });
    // Plots painted while tables were still being read are painted again, so that a frame is
    // counted.
    QObject::connect(
        &context.workers, &views::Workers::becameIdle, once,
        [&window] {
            for (QWidget* plot : window.findChildren<views::PlotWidget*>())
                plot->update();
        },
        Qt::QueuedConnection);
}

// Measures instead of waiting for a user; a profile that cannot be opened ends it.
int exerciseFrames(gui::MainWindow& window, const gui::Arguments& arguments) {
    gui::FrameExercise exercise(window);
    QObject::connect(&exercise, &gui::FrameExercise::measured, &window,
                     [](const QString& line) { std::fprintf(stderr, "%s\n", qPrintable(line)); });
    QObject::connect(&exercise, &gui::FrameExercise::finished, &window, &QWidget::close);
    QObject::connect(
        &window.context().reports, &views::ReportPair::failed, &window,
        [](const QString&, const QString& text) { QApplication::exit(userError(text)); });
    window.openProfiles(arguments.profiles);
    window.show();
    exercise.start();
    return QApplication::exec();
}

std::vector<std::filesystem::path> filesOf(const gui::Arguments& arguments) {
    std::vector<std::filesystem::path> names, files;
    for (const QString& name : arguments.profiles)
        names.emplace_back(name.toStdString());
    if (arguments.tracesOfAHost)
        return {openableTraces(names)};
    for (const std::filesystem::path& name : names)
        files.push_back(openableProfile(name, sshFromEnvironment()));
    return files;
}

// The place at which the window opens. Selections are looked up now, while mistakes in them can
// still be reported as errors of the command line.
gui::DeepLink linkFrom(const gui::Arguments& arguments) {
    gui::DeepLink link{arguments.profiles, gui::beginsWith(arguments), {}, arguments.range};
    if (arguments.check || !arguments.selected.empty()) {
        const std::vector<std::filesystem::path> files = filesOf(arguments);
        for (const std::filesystem::path& file : files)
            const ProfileReader readable(file);
        const ProfileView source(files.at(0));
        link.selected = gui::resolve(arguments.selected, link.report, source);
    }
    return link;
}

int runWindow(gui::WindowList& windows, const gui::Arguments& arguments,
              const gui::DeepLink& link) {
    if (arguments.profiles.isEmpty() && arguments.view.isEmpty() && !arguments.theme &&
        windows.restoreSession())
        return QApplication::exec();
    gui::MainWindow& window = windows.add();
    prepare(window, arguments);
    if (arguments.frameTimes)
        reportFirstPlot(window);
    window.showReport(link.report);
    window.openLink(link);
    window.show();
    if (arguments.frameTimes)
        QObject::connect(&window, &gui::MainWindow::closed, &window, [&window] {
            std::fprintf(stderr, "%s\n", qPrintable(window.context().frameTimes.summary()));
        });
    return QApplication::exec();
}

int run(int argc, char** argv) {
    if (gui::isAskpass())
        return gui::runAskpass(argc, argv);
    const gui::Arguments arguments = gui::parseArguments(argumentsOf(argc, argv));
    if (arguments.help || arguments.version) {
        std::fputs(arguments.help ? qPrintable(gui::helpText())
                                  : "tilescope-gui " TILESCOPE_VERSION "\n",
                   stdout);
        return 0;
    }
    const bool grabbing = !arguments.grabs.empty();
    for (const gui::GrabRequest& grab : arguments.grabs)
        if (const QString problem = views::checkOutput(grab.file); !problem.isEmpty())
            return userError(problem);
    const gui::DeepLink link = grabbing ? gui::DeepLink{} : linkFrom(arguments);
    if (arguments.check && !grabbing)
        return 0;
    // Has to be set before the application exists.
    if (grabbing)
        qputenv("QT_QPA_PLATFORM", "offscreen");
    gui::Application app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("TileScope"));
    QApplication::setOrganizationName(QStringLiteral("TileScope"));
    QApplication::setApplicationVersion(QStringLiteral(TILESCOPE_VERSION));
    // The desktop finds the installed entry and icon by this name; without them it uses the icon
    // below.
    QGuiApplication::setDesktopFileName(QStringLiteral("tilescope"));
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/tilescope.svg")));
    QApplication::setStyle(new views::WindowStyle);
    if (!grabbing && !arguments.exerciseFrames) {
        gui::WindowList windows(gui::Memory::Persistent);
        return runWindow(windows, arguments, link);
    }
    gui::MainWindow window(gui::Memory::None);
    prepare(window, arguments);
    return grabbing ? runGrabs(app, window, arguments) : exerciseFrames(window, arguments);
}

} // namespace

int main(int argc, char** argv) {
    // Makes failed writes report an error instead of raising a signal.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    tilescope::removeTemporariesOnSignals();
    tilescope::endOnLackOfMemory("tilescope-gui");
    beforeFatal = qInstallMessageHandler(endOnFatal);
    try {
        return run(argc, argv);
    } catch (const tilescope::UserError& error) {
        return userError(QString::fromUtf8(error.what()));
    } catch (const std::bad_alloc&) {
        return userError(QStringLiteral("not enough memory on this computer"));
    } catch (const std::system_error& error) {
        return userError(QString::fromUtf8(error.what()));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tilescope-gui: internal error: %s\n", error.what());
        return 3;
    }
}
