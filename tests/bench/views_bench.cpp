// How long frames take while the plots are zoomed and panned, without a display:
//   views_bench [PROFILE [TARGET]]
// prints a line for each view; without a profile it writes the tests' sample and takes that. With a
// target also of both aligned by operation.
#include <QApplication>
#include <QTemporaryDir>
#include <cstdio>

#include "app/gui/frame_exercise.h"
#include "core/store/profile_writer.h"
#include "tests/support/sample_profile.h"
#include "views/theme/style.h"

using namespace tilescope;

namespace {

// Two IPUs and a trace of 27 million steps.
QString writeSample(const QTemporaryDir& folder) {
    const QString file = folder.filePath(QStringLiteral("sample.pop"));
    writeProfile(test::sampleProfile({.ipus = 2, .repeats = 1'000'000}), file.toStdString());
    return file;
}

} // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    QApplication::setStyle(new views::WindowStyle);
    const QTemporaryDir folder;
    const QString profile = argc > 1 ? QString::fromLocal8Bit(argv[1]) : writeSample(folder);
    gui::MainWindow window(gui::Memory::None);
    gui::FrameExercise exercise(window);
    QObject::connect(&exercise, &gui::FrameExercise::measured,
                     [](const QString& line) { std::printf("%s\n", qPrintable(line)); });
    QObject::connect(&exercise, &gui::FrameExercise::finished, &app, &QApplication::quit);
    QObject::connect(&window.context().reports, &views::ReportPair::failed, &app,
                     [](const QString&, const QString& text) {
                         std::fprintf(stderr, "views_bench: error: %s\n", qPrintable(text));
                         QApplication::exit(2);
                     });
    window.show();
    QStringList files{profile};
    if (argc > 2)
        files << QString::fromLocal8Bit(argv[2]);
    window.openProfiles(files);
    exercise.start();
    return QApplication::exec();
}
