#include "app/gui/window/demo_run.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>

namespace tilescope::gui {

DemoRun::DemoRun(QString program, QObject* parent)
    : SimulationRun(std::move(program), parent) {
    connect(this, &SimulationRun::ended, this, [this] { jobFolder_.reset(); });
}

QString DemoRun::defaultFolder() {
    return QDir(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation))
        .filePath(QStringLiteral("demo"));
}

void DemoRun::startDemo(const QString& folder) {
    if (!available() || running())
        return;
    // The program cannot read the resources of this one.
    jobFolder_ = std::make_unique<QTemporaryDir>();
    const QString job = jobFolder_->filePath(QStringLiteral("demo.json"));
    if (!jobFolder_->isValid() || !QFile::copy(QStringLiteral(":/jobs/demo.json"), job)) {
        emit failed(tr("Cannot write the demo's job file to %1").arg(QDir::tempPath()));
        return;
    }
    start({QStringLiteral("run"), job, QStringLiteral("-o"), folder, QStringLiteral("--progress")},
          folder);
}

} // namespace tilescope::gui
