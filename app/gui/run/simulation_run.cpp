#include "app/gui/run/simulation_run.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

namespace tilescope::gui {
namespace {

// Enough for a message; a faulty program may write endlessly.
constexpr qsizetype mostErrorText = 2000;

constexpr int mostEndMs = 2000;

constexpr const char* errorPrefix = "tilescope: error: "; // starts its last message

} // namespace

QString profileIn(const QString& folder) {
    return QDir(folder).filePath(QStringLiteral("profile.pop"));
}

void endProcess(QProcess& process) {
    process.terminate();
    if (process.waitForFinished(mostEndMs))
        return;
    process.kill();
    process.waitForFinished();
}

SimulationRun::SimulationRun(QString program, QObject* parent)
    : QObject(parent)
    , program_(std::move(program)) {}

SimulationRun::~SimulationRun() {
    if (process_ != nullptr)
        kill();
}

QString SimulationRun::findProgram() {
    const QString name = QStringLiteral("tilescope");
    const QString beside =
        QStandardPaths::findExecutable(name, {QCoreApplication::applicationDirPath()});
    return beside.isEmpty() ? QStandardPaths::findExecutable(name) : beside;
}

void SimulationRun::start(const QStringList& arguments, const QString& folder) {
    startWriting(arguments, profileIn(folder));
}

void SimulationRun::startWriting(const QStringList& arguments, const QString& profile) {
    if (!available() || running())
        return;
    profile_ = profile;
    errors_.clear();
    endsWithError_ = false;
    wrongOption_.clear();
    unfinishedLine_.clear();
    profileBefore_ = QFileInfo(profile).lastModified();
    process_ = new QProcess(this);
    // The summary on standard output is for people; the profile contains all of it.
    process_->setStandardOutputFile(QProcess::nullDevice());
    connect(process_, &QProcess::readyReadStandardError, this, &SimulationRun::readErrors);
    connect(process_, &QProcess::finished, this, &SimulationRun::programEnded);
    connect(process_, &QProcess::errorOccurred, this, &SimulationRun::programErred);
    emit started();
    process_->start(program_, arguments);
}

void SimulationRun::cancel() {
    if (process_ == nullptr)
        return;
    kill();
    end();
}

void SimulationRun::kill() {
    process_->disconnect(this);
    endProcess(*process_);
}

void SimulationRun::readErrors() {
    unfinishedLine_ += process_->readAllStandardError();
    qsizetype from = 0;
    for (qsizetype end = unfinishedLine_.indexOf('\n'); end >= 0;
         end = unfinishedLine_.indexOf('\n', from)) {
        takeLine(QString::fromUtf8(unfinishedLine_.mid(from, end - from)));
        from = end + 1;
    }
    unfinishedLine_ = unfinishedLine_.mid(from).right(mostErrorText);
}

void SimulationRun::takeLine(const QString& line) {
    static const QRegularExpression progress(QStringLiteral(R"(^progress: (\d+) % (.*)$)"));
    if (const QRegularExpressionMatch match = progress.match(line); match.hasMatch()) {
        emit progressed(match.captured(1).toDouble() / 100, match.captured(2));
        return;
    }
    static const QRegularExpression option(QStringLiteral(R"(^option: (\w+)$)"));
    if (const QRegularExpressionMatch match = option.match(line); match.hasMatch()) {
        wrongOption_ = match.captured(1);
        return;
    }
    // The error itself is not logged, as it is shown separately.
    const bool begins = !endsWithError_ && line.startsWith(QLatin1String(errorPrefix));
    if (begins)
        errors_.clear();
    endsWithError_ = endsWithError_ || begins;
    errors_ += line + QLatin1Char('\n');
    if (errors_.size() > mostErrorText)
        errors_ = QStringLiteral("…") + errors_.right(mostErrorText - 1);
    if (!endsWithError_)
        emit logged(line);
}

void SimulationRun::programEnded(int status, QProcess::ExitStatus how) {
    readErrors();
    if (!unfinishedLine_.isEmpty())
        takeLine(QString::fromUtf8(unfinishedLine_));
    const QString text = errors_.trimmed();
    end();
    constexpr int good = 0;
    constexpr int doesNotFit = 1; // a result too: the profile shows where memory is missing
    const QFileInfo profile(profile_);
    if (how == QProcess::NormalExit && (status == good || status == doesNotFit) &&
        profile.exists() && profile.lastModified() != profileBefore_) {
        emit finished(profile.filePath(), status == good);
        return;
    }
    if (!text.isEmpty())
        emit failed(text, wrongOption_);
    else if (how == QProcess::CrashExit)
        emit failed(tr("%1 was killed or crashed").arg(program_));
    else
        emit failed(tr("%1 ended with status %2 and wrote no profile").arg(program_).arg(status));
}

// A failed start is the only error that is not followed by finished().
void SimulationRun::programErred(QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart)
        return;
    const QString text = process_->errorString();
    end();
    emit failed(tr("Cannot start %1: %2").arg(program_, text));
}

void SimulationRun::end() {
    // deleteLater(), as this may be called from a signal of the process.
    process_->deleteLater();
    process_ = nullptr;
    emit ended();
}

} // namespace tilescope::gui
