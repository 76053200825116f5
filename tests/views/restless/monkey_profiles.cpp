#include "tests/views/restless/monkey_profiles.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QtGlobal>
#include <algorithm>
#include <string>

#include "core/store/profile_writer.h"
#include "tests/support/sample_source.h"
#include "tests/support/scale_profile.h"
#include "tests/support/test_main.h"

namespace tilescope::test {
namespace {

/// A run of the command line and the status with which it must end.
struct SimulatedKind {
    const char* name;
    QStringList arguments;
    int status;
};

std::vector<SimulatedKind> simulatedKinds() {
    const QString jobs = QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/jobs/");
    const auto words = [](const char* text) {
        return QString::fromLatin1(text).split(QLatin1Char(' '));
    };
    return {{"single", words("mnist-cnn --tiles-per-ipu 96"), 0},
            {"half", words("mnist-cnn --tiles-per-ipu 96 --precision half"), 0},
            {"pipelined",
             QStringList{jobs + "tutorial_pipelined.json"} + words("--tiles-per-ipu 64"), 0},
            {"replicated", words("mnist-cnn --mode training --replicas 2 --tiles-per-ipu 64"), 0},
            {"phased", QStringList{jobs + "tutorial_phased.json"} + words("--tiles-per-ipu 64"), 0},
            {"values", words("mlp --compute --batch-size 4 --tiles-per-ipu 64"), 0},
            {"large", words("mlp --tiles-per-ipu 4"), 1}};
}

QString simulate(const QString& folder, const SimulatedKind& kind) {
    const QString to = folder + QLatin1Char('/') + QLatin1String(kind.name);
    QProcess run;
    run.setStandardOutputFile(QProcess::nullDevice());
    run.start(test::programPath("tilescope"),
              QStringList{QStringLiteral("run")} + kind.arguments + QStringList{"-o", to});
    constexpr int patienceMs = 120'000;
    if (!run.waitForFinished(patienceMs) || run.exitCode() != kind.status)
        qFatal("cannot make the profile '%s': %s", kind.name,
               run.readAllStandardError().constData());
    return to + QStringLiteral("/profile.pop");
}

/// Long enough for pages: steps are counted on each IPU.
ScaleOptions pagedTrace() {
    return {.steps = 26'000, .ipus = 8, .variables = 2000, .tilesPerIpu = 64};
}

/// A program of several threads that calls the model more often than the trace has runs.
Profile calledOften() {
    Profile profile =
        sampleProfile({.ipus = 2, .withCopy = true, .withRecord = true, .withValues = true});
    HostRecord& record = profile.hostRecord;
    const HostEvent call = record.events[1];
    constexpr int calls = 400;
    for (int i = 1; i < calls; ++i) {
        const double at = 0.0004 * i;
        record.events.push_back({call.thread, call.channel, call.name, at, 0.0002});
        for (int thread = 0; thread < 6; ++thread)
            record.events.push_back({"Worker " + std::to_string(thread), "dataset", "decode",
                                     at + 0.00001 * thread, 0.0001});
    }
    std::ranges::stable_sort(record.events, {}, &HostEvent::start);
    return profile;
}

} // namespace

QStringList writeProfilesOfAllKinds(const QString& folder) {
    QStringList files;
    for (const SimulatedKind& kind : simulatedKinds())
        files << simulate(folder, kind);
    const auto write = [&](const char* name, const Profile& profile) {
        QDir(folder).mkpath(QLatin1String(name));
        files << folder + QLatin1Char('/') + QLatin1String(name) + QLatin1String("/profile.pop");
        writeProfile(profile, files.back().toStdString());
    };
    write("host", calledOften());
    write("lines", sampleWithLines("def forward(x):\n    x = conv(x)\n    return relu(x)\n", 3));
    write("changed", sampleProfile({.changed = true}));
    write("paged", scaleProfile(pagedTrace()));
    // Of a user, for long runs.
    files << qEnvironmentVariable("TILESCOPE_MONKEY_PROFILES").split(':', Qt::SkipEmptyParts);
    return files;
}

void putStandInForProgram(const QString& folder, const QString& profile) {
    QDir().mkpath(folder);
    QFile program(folder + QStringLiteral("/tilescope"));
    const QByteArray text = R"(#!/bin/sh
case "$1" in
models) echo '[{"name": "mlp", "description": "layers", "options": ""}]'; exit 0;;
try) echo 'progress: 50 % trying' >&2; sleep 0.2; echo '[]'; exit 0;;
esac
while [ $# -gt 1 ] && [ "$1" != -o ]; do shift; done
echo 'progress: 30 % planning' >&2
sleep 0.2
echo 'a warning' >&2
mkdir -p "$2" && cp ')" + QFile::encodeName(profile) +
                            R"(' "$2/.new" && mv "$2/.new" "$2/profile.pop"
)";
    if (!program.open(QIODevice::WriteOnly) || program.write(text) != text.size())
        qFatal("cannot write %s", qPrintable(program.fileName()));
    program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("PATH", QFile::encodeName(folder) + ':' + qgetenv("PATH"));
}

} // namespace tilescope::test
