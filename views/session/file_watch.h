// Notices that a file was written again, even if it was replaced by another of the same name.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>
#include <map>

#include "core/base/file_stamp.h"

namespace tilescope::views {

/// Watches files and their folders: a profile is written beside its name and then renamed, so the
/// watched file disappears. Reports a change once, when writing seems to be over.
class FileWatch : public QObject {
    Q_OBJECT
public:
    explicit FileWatch(QObject* parent = nullptr);
    /// Replaces what is watched, as it is now.
    void setFiles(const QStringList& files);
    [[nodiscard]] QStringList files() const;

signals:
    /// The file has new content. A missing file is not a change: it may return.
    void changed(const QString& file);

private:
    void watch();
    void look();

    QFileSystemWatcher watcher_;
    QTimer settled_; ///< since the last event: a copy is written bit by bit
    std::map<QString, FileStamp> stamps_;
};

} // namespace tilescope::views
