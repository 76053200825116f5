#include "views/session/remote_watch.h"

#include "core/remote/profile_place.h"

namespace tilescope::views {
namespace {
constexpr int intervalMs = 15'000; // below the minute for which a connection is kept
}

RemoteWatch::RemoteWatch(Workers& workers, QObject* parent)
    : QObject(parent)
    , query_(workers, About::Other) {
    timer_.setInterval(intervalMs);
    connect(&timer_, &QTimer::timeout, this, &RemoteWatch::look);
    // A host may be away for a while.
    connect(&query_, &BackgroundQuery::failed, this, [] {});
}

void RemoteWatch::watch(const ProfilePair& open, const SshProgram& ssh) {
    query_.cancel();
    ssh_ = ssh;
    copies_.clear();
    for (const ProfileViewPtr& profile : {open.source, open.target})
        if (profile && isRemote(openedFrom(profile->file()).string()))
            copies_.push_back(profile->file());
    copies_.empty() ? timer_.stop() : timer_.start();
}

void RemoteWatch::look() {
    if (copies_.empty() || query_.running())
        return;
    query_.start([this, ssh = ssh_, copies = copies_](const std::stop_token& stop) {
        std::vector<std::filesystem::path> written;
        for (const std::filesystem::path& copy : copies)
            if (changedSinceCopied(copy, ssh, stop))
                written.push_back(copy);
        return [this, written = std::move(written)] {
            for (const std::filesystem::path& copy : written) {
                std::erase(copies_, copy);
                emit changed(QString::fromStdString(openedFrom(copy).string()));
            }
        };
    });
}

} // namespace tilescope::views
