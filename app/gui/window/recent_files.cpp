#include "app/gui/window/recent_files.h"

#include <QFileInfo>
#include <QSettings>

#include "core/remote/remote_address.h"

namespace tilescope::gui {
namespace {
const QString key = QStringLiteral("recentProfiles");
}

RecentFiles::RecentFiles(QObject* parent)
    : QObject(parent) {}

QStringList RecentFiles::entries() const {
    return QSettings().value(key).toStringList();
}

QStringList RecentFiles::profiles() const {
    QStringList list = entries();
    list.removeIf(isComparison);
    return list;
}

QStringList RecentFiles::comparisons() const {
    QStringList list = entries();
    list.removeIf([](const QString& entry) { return !isComparison(entry); });
    return list;
}

void RecentFiles::add(const QString& source, const QString& target) {
    const QString entry = target.isEmpty()
                              ? absolute(source)
                              : absolute(source) + QLatin1Char('\n') + absolute(target);
    QStringList list = entries();
    list.removeAll(entry);
    list.prepend(entry);
    // Many entries of one kind must not displace the other.
    int kept = 0;
    list.removeIf([&kept, kind = isComparison(entry)](const QString& each) {
        return isComparison(each) == kind && ++kept > mostEntries;
    });
    store(list);
}

QStringList RecentFiles::hosts() const {
    QStringList hosts;
    for (const QString& entry : entries())
        for (const QString& file : filesOf(entry))
            if (isRemote(file.toStdString()))
                hosts << file.section(QLatin1Char('/'), 2, 2);
    hosts.removeDuplicates();
    return hosts;
}

QString RecentFiles::absolute(const QString& file) {
    return isRemote(file.toStdString()) ? file : QFileInfo(file).absoluteFilePath();
}

void RecentFiles::remove(const QString& entry) {
    QStringList list = entries();
    list.removeAll(entry);
    store(list);
}

void RecentFiles::store(const QStringList& list) {
    QSettings().setValue(key, list);
    emit changed();
}

} // namespace tilescope::gui
