// Notices that remote files were written again.
#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <vector>

#include "core/analysis/compare/profile_pair.h"
#include "core/remote/ssh.h"
#include "views/query/background_query.h"

namespace tilescope::views {

/// Asks for the versions of open remote files from time to time, over the connection that copied
/// them. Never asks the user; a host that does not answer is no change.
class RemoteWatch : public QObject {
    Q_OBJECT
public:
    explicit RemoteWatch(Workers& workers, QObject* parent = nullptr);
    /// Replaces what is watched; files of this machine are not.
    void watch(const ProfilePair& open, const SshProgram& ssh);
    /// Asks now.
    void look();

signals:
    /// Once for each change; by the address.
    void changed(const QString& file);

private:
    BackgroundQuery query_;
    QTimer timer_;
    SshProgram ssh_;
    std::vector<std::filesystem::path> copies_;
};

} // namespace tilescope::views
