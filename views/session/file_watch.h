// Notices that a file was written again, also if it was replaced by another of its name.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>
#include <map>

#include "core/base/file_stamp.h"

namespace tilescope::views {

/// Watches files and the folders that they lie in: a profile is written beside its name and then
/// renamed, so the file that was watched is gone. Says so once when writing seems over.
class FileWatch : public QObject {
    Q_OBJECT
public:
    explicit FileWatch(QObject* parent = nullptr);
    /// Replaces what is watched, as it is now.
    void setFiles(const QStringList& files);
    [[nodiscard]] QStringList files() const;

signals:
    /// The file has another content. A file that is gone is not a change: it may return.
    void changed(const QString& file);

private:
    void watch();
    void look();

    QFileSystemWatcher watcher_;
    QTimer settled_; ///< since the last event: a copy is written bit by bit
    std::map<QString, FileStamp> stamps_;
};

} // namespace tilescope::views
