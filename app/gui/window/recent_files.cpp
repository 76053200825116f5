#include "app/gui/window/recent_files.h"

#include <QFileInfo>
#include <QSettings>

namespace tilescope::gui {
namespace {
const QString key = QStringLiteral("recentProfiles");
}

RecentFiles::RecentFiles(QObject* parent)
    : QObject(parent) {}

QStringList RecentFiles::entries() const {
    return QSettings().value(key).toStringList();
}

QStringList RecentFiles::filesOf(const QString& entry) {
    return entry.split(QLatin1Char('\n'));
}

void RecentFiles::add(const QString& source, const QString& target) {
    const auto absolute = [](const QString& file) { return QFileInfo(file).absoluteFilePath(); };
    const QString entry = target.isEmpty()
                              ? absolute(source)
                              : absolute(source) + QLatin1Char('\n') + absolute(target);
    QStringList list = entries();
    list.removeAll(entry);
    list.prepend(entry);
    while (list.size() > mostEntries)
        list.removeLast();
    store(list);
}

void RecentFiles::remove(const QString& entry) {
    QStringList list = entries();
    list.removeAll(entry);
    store(list);
}

void RecentFiles::clear() {
    store({});
}

void RecentFiles::store(const QStringList& list) {
    QSettings().setValue(key, list);
    emit changed();
}

} // namespace tilescope::gui
