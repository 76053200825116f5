#include "app/gui/window/demo_run.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>

namespace tilescope::gui {

DemoRun::DemoRun(QString program, QObject* parent)
    : QObject(parent)
    , run_(std::move(program), this) {
    connect(&run_, &SimulationRun::started, this, &DemoRun::started);
    connect(&run_, &SimulationRun::progressed, this, &DemoRun::progressed);
    connect(&run_, &SimulationRun::ended, this, [this] {
        jobFolder_.reset();
        emit ended();
    });
    connect(&run_, &SimulationRun::finished, this, &DemoRun::finished);
    connect(&run_, &SimulationRun::failed, this, &DemoRun::failed);
}

QString DemoRun::defaultFolder() {
    return QDir(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation))
        .filePath(QStringLiteral("demo"));
}

void DemoRun::start(const QString& folder) {
    if (!available() || running())
        return;
    // The program reads files, not what is compiled into this one.
    jobFolder_ = std::make_unique<QTemporaryDir>();
    const QString job = jobFolder_->filePath(QStringLiteral("demo.json"));
    if (!jobFolder_->isValid() || !QFile::copy(QStringLiteral(":/jobs/demo.json"), job)) {
        emit failed(tr("Cannot write the demo's job file to %1").arg(QDir::tempPath()));
        return;
    }
    run_.start(
        {QStringLiteral("run"), job, QStringLiteral("-o"), folder, QStringLiteral("--progress")},
        folder);
}

} // namespace tilescope::gui
