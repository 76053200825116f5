#include "views/session/file_watch.h"

#include <QFileInfo>

namespace tilescope::views {
namespace {
constexpr int settleMs = 150;
}

FileWatch::FileWatch(QObject* parent)
    : QObject(parent) {
    settled_.setSingleShot(true);
    settled_.setInterval(settleMs);
    const auto wait = [this] { settled_.start(); };
    connect(&watcher_, &QFileSystemWatcher::fileChanged, this, wait);
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, wait);
    connect(&settled_, &QTimer::timeout, this, &FileWatch::look);
}

void FileWatch::setFiles(const QStringList& files) {
    stamps_.clear();
    for (const QString& file : files)
        stamps_[QFileInfo(file).absoluteFilePath()] =
            stampOf(QFile::encodeName(file).toStdString());
    const QStringList before = watcher_.files() + watcher_.directories();
    if (!before.isEmpty())
        watcher_.removePaths(before);
    watch();
}

QStringList FileWatch::files() const {
    QStringList list;
    for (const auto& [file, stamp] : stamps_)
        list << file;
    return list;
}

void FileWatch::watch() {
    QStringList paths;
    for (const auto& [file, stamp] : stamps_) {
        paths << QFileInfo(file).absolutePath();
        if (QFileInfo::exists(file))
            paths << file;
    }
    paths.removeDuplicates();
    for (const QString& path : paths)
        if (!watcher_.files().contains(path) && !watcher_.directories().contains(path))
            watcher_.addPath(path);
}

void FileWatch::look() {
    watch(); // a replaced file is watched no more
    QStringList written;
    for (auto& [file, stamp] : stamps_) {
        const FileStamp now = stampOf(QFile::encodeName(file).toStdString());
        if (!now.exists() || now == stamp)
            continue;
        stamp = now;
        written << file;
    }
    for (const QString& file : written)
        emit changed(file);
}

} // namespace tilescope::views
