// Profiles opened before.
#pragma once

#include <QObject>
#include <QStringList>

namespace tilescope::gui {

/// The newest first, kept in QSettings, up to `mostEntries` of each kind. An entry is a profile, or
/// two compared ones separated by a newline.
class RecentFiles : public QObject {
    Q_OBJECT
public:
    explicit RecentFiles(QObject* parent = nullptr);

    static constexpr int mostEntries = 64;
    [[nodiscard]] QStringList entries() const;
    /// Only single profiles, or only comparisons.
    [[nodiscard]] QStringList profiles() const;
    [[nodiscard]] QStringList comparisons() const;
    /// Hosts of remote profiles, as they were given, the last used first.
    [[nodiscard]] QStringList hosts() const;
    void add(const QString& source, const QString& target = {});
    /// The absolute name of a file, as in entries; an address is one already.
    static QString absolute(const QString& file);
    void remove(const QString& entry);
    void clear() { store({}); }
    static QStringList filesOf(const QString& entry) { return entry.split(QLatin1Char('\n')); }
    static bool isComparison(const QString& entry) { return entry.contains(QLatin1Char('\n')); }

signals:
    void changed();

private:
    void store(const QStringList& entries);
};

} // namespace tilescope::gui
