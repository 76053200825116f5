// Notices that a file was written again, also if it was replaced by another of its name.
#pragma once

#include <QDateTime>
#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>
#include <map>

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
    // What tells two contents apart without reading them.
    struct Stamp {
        QDateTime modified;
        qint64 size = 0;
        quint64 inode = 0; ///< 0 where there is no file
        friend bool operator==(const Stamp&, const Stamp&) = default;
    };
    static Stamp stampOf(const QString& file);
    void watch();
    void look();

    QFileSystemWatcher watcher_;
    QTimer settled_; ///< since the last event: a copy is written bit by bit
    std::map<QString, Stamp> stamps_;
};

} // namespace tilescope::views
