#include "views/session/report_pair.h"

#include <QFileInfo>
#include <QPointer>
#include <utility>

#include "core/base/rewritten_file.h"
#include "core/database/page_checksum.h"

namespace tilescope::views {
namespace {

ProfileViewPtr openOnce(const std::filesystem::path& file, const std::stop_token& token) {
    ProfileReader reader(file);
    noticingChange(file, reader.stamp(), [&] { verifyChecksums(file); });
    reader.stopWith(token);
    return std::make_shared<const ProfileView>(std::move(reader));
}

ProfileViewPtr openFile(const std::filesystem::path& file, const std::stop_token& token) {
    // A run that just ends takes the name of the file that is being opened.
    constexpr int mostTries = 3;
    for (int attempt = 1; attempt < mostTries; ++attempt) {
        try {
            return openOnce(file, token);
        } catch (const RewrittenFile&) {
            continue;
        }
    }
    return openOnce(file, token);
}

ProfileViewPtr openProfile(const std::filesystem::path& path, const SshProgram& ssh,
                           const PrepareProgress& progress, const std::stop_token& token) {
    // Its folder names it, wherever it was opened from.
    const std::filesystem::path file = openableProfile(path, ssh, progress, token);
    std::error_code failed;
    const std::filesystem::path whole = std::filesystem::absolute(file, failed);
    const std::filesystem::path plain = whole.lexically_normal();
    // After a symbolic link, ".." may lead elsewhere.
    const bool isSame = !failed && std::filesystem::equivalent(whole, plain, failed) && !failed;
    return openFile(isSame ? plain : file, token);
}

} // namespace

QString openedName(const ProfileView& profile) {
    const QString name = QString::fromStdString(openedFrom(profile.file()).string());
    return isRemote(name.toStdString()) ? name : QFileInfo(name).absoluteFilePath();
}

ReportPair::ReportPair(Workers& workers, QObject* parent)
    : QObject(parent)
    , workers_(workers)
    , opening_(workers, About::Other) {
    connect(&opening_, &BackgroundQuery::slow, this, [this] { emit openingIsSlow(openingFile_); });
    connect(&opening_, &BackgroundQuery::delivered, this, &ReportPair::openingEnded);
    connect(&opening_, &BackgroundQuery::cancelled, this, &ReportPair::openingEnded);
    connect(&opening_, &BackgroundQuery::failed, this, [this](const QString& text) {
        emit openingEnded();
        emit failed(openingFile_, text);
    });
}

void ReportPair::open(const std::filesystem::path& source, const std::filesystem::path& target) {
    openingFile_ = QString::fromStdString(target.empty() ? source.string() : target.string());
    wantedSource_ = source;
    wantedTarget_ = target;
    wantedTraces_.clear();
    opening_.start([this, source, target, ssh = ssh_,
                    progress = prepareProgress()](const std::stop_token& token) {
        const ProfileViewPtr first = openProfile(source, ssh, progress, token);
        ProfilePair opened(first,
                           target.empty() ? nullptr : openProfile(target, ssh, progress, token));
        return [this, opened = std::move(opened)] { replaceBy(opened); };
    });
}

void ReportPair::openTraces(const std::vector<std::filesystem::path>& traces) {
    openingFile_ = QString::fromStdString(traces.front().string());
    wantedTraces_ = traces;
    opening_.start([this, traces, progress = prepareProgress()](const std::stop_token& token) {
        const ProfilePair opened(openFile(openableTraces(traces, progress, token), token));
        return [this, opened] { replaceBy(opened); };
    });
}

void ReportPair::show(const ProfilePair& profiles) {
    opening_.cancel();
    replaceBy(profiles);
}

// A worker may still copy or import when this object is gone, so it reports to the application.
PrepareProgress ReportPair::prepareProgress() {
    return [guard = QPointer<ReportPair>(this), last = -1](Preparing what, double done) mutable {
        const int percent = static_cast<int>(100 * done);
        if (std::exchange(last, percent) == percent)
            return; // a copy tells of every block
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [guard, what, percent] {
                if (guard)
                    emit guard->preparing(guard->openingFile_, what, percent);
            },
            Qt::QueuedConnection);
    };
}

void ReportPair::replaceBy(ProfilePair profiles) {
    // The pool must not look idle in between.
    workers_.begin();
    workers_.leaveProfiles();
    profiles_ = std::move(profiles);
    ++changes_;
    emit changed();
    workers_.end();
}

double ReportPair::clockHz() const {
    if (!profiles_.source)
        return 0;
    const double clock = profiles_.source->machine().clockHz;
    return !profiles_.comparing() || profiles_.target->machine().clockHz == clock ? clock : 0;
}

void ReportPair::reload() {
    // A file that was rewritten must not bring its profile back while the user opens others.
    if (opening_.running() && !wantedTraces_.empty())
        openTraces(std::vector(wantedTraces_));
    else if (opening_.running())
        open(std::filesystem::path(wantedSource_), std::filesystem::path(wantedTarget_));
    else if (profiles_.source)
        open(openedFrom(profiles_.source->file()),
             profiles_.target ? openedFrom(profiles_.target->file()) : std::filesystem::path());
}

void ReportPair::closeTarget() {
    if (!profiles_.target)
        return;
    replaceBy(ProfilePair(profiles_.source));
}

void ReportPair::swap() {
    if (!profiles_.comparing())
        return;
    replaceBy(ProfilePair(profiles_.target, profiles_.source));
}

void ReportPair::close() {
    opening_.cancel();
    replaceBy({});
}

} // namespace tilescope::views
