#include "app/gui/window/demo_run.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

namespace tilescope::gui {
namespace {

// Enough for a message; a program gone wild may write without end.
constexpr qsizetype mostErrorText = 2000;

QString errorText(QProcess& process) {
    const QString text = QString::fromUtf8(process.readAllStandardError()).trimmed();
    return text.size() > mostErrorText ? QStringLiteral("…") + text.right(mostErrorText) : text;
}

} // namespace

DemoRun::DemoRun(QString program, QObject* parent)
    : QObject(parent)
    , program_(std::move(program)) {}

DemoRun::~DemoRun() {
    if (process_ != nullptr)
        kill();
}

QString DemoRun::findProgram() {
    const QString name = QStringLiteral("tilescope");
    const QString beside =
        QStandardPaths::findExecutable(name, {QCoreApplication::applicationDirPath()});
    return beside.isEmpty() ? QStandardPaths::findExecutable(name) : beside;
}

QString DemoRun::defaultFolder() {
    return QDir(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation))
        .filePath(QStringLiteral("demo"));
}

void DemoRun::start(const QString& folder) {
    if (!available() || running())
        return;
    folder_ = folder;
    // The program reads files, not what is compiled into this one.
    jobFolder_ = std::make_unique<QTemporaryDir>();
    const QString job = jobFolder_->filePath(QStringLiteral("demo.json"));
    if (!jobFolder_->isValid() || !QFile::copy(QStringLiteral(":/jobs/demo.json"), job)) {
        emit failed(tr("Cannot write the demo's job file to %1").arg(QDir::tempPath()));
        return;
    }
    process_ = new QProcess(this);
    // The summary on standard output is for people; the profile has it all.
    process_->setStandardOutputFile(QProcess::nullDevice());
    connect(process_, &QProcess::finished, this, &DemoRun::programEnded);
    connect(process_, &QProcess::errorOccurred, this, &DemoRun::programErred);
    emit started();
    process_->start(program_, {QStringLiteral("run"), job, QStringLiteral("-o"), folder_});
}

void DemoRun::cancel() {
    if (process_ == nullptr)
        return;
    kill();
    end();
}

void DemoRun::kill() {
    process_->disconnect(this);
    process_->kill();
    process_->waitForFinished();
    // A profile is written beside its name and renamed when it is whole: what is left is a part.
    QDir folder(folder_);
    for (const QString& part :
         folder.entryList({QStringLiteral(".profile.pop.*")}, QDir::Files | QDir::Hidden))
        folder.remove(part);
}

void DemoRun::programEnded(int status, QProcess::ExitStatus how) {
    const QString text = errorText(*process_);
    end();
    constexpr int good = 0;
    constexpr int doesNotFit = 1; // a result too: the profile shows where memory is missing
    const QString profile = QDir(folder_).filePath(QStringLiteral("profile.pop"));
    if (how == QProcess::NormalExit && (status == good || status == doesNotFit) &&
        QFileInfo::exists(profile)) {
        emit finished(profile);
        return;
    }
    if (!text.isEmpty())
        emit failed(text);
    else if (how == QProcess::CrashExit)
        emit failed(tr("%1 was killed or crashed").arg(program_));
    else
        emit failed(tr("%1 ended with status %2 and wrote no profile").arg(program_).arg(status));
}

// Of these only a failed start is not followed by finished().
void DemoRun::programErred(QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart)
        return;
    const QString text = process_->errorString();
    end();
    emit failed(tr("Cannot start %1: %2").arg(program_, text));
}

void DemoRun::end() {
    // Called from signals of the process too: it must live until they return.
    process_->deleteLater();
    process_ = nullptr;
    jobFolder_.reset();
    emit ended();
}

} // namespace tilescope::gui
