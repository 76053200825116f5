// Profiles opened before.
#pragma once

#include <QObject>
#include <QStringList>

namespace tilescope::gui {

/// The newest first, kept in QSettings. An entry is a profile, or two that were compared, with a
/// newline between them.
class RecentFiles : public QObject {
    Q_OBJECT
public:
    explicit RecentFiles(QObject* parent = nullptr);

    static constexpr int mostEntries = 64;
    [[nodiscard]] QStringList entries() const;
    void add(const QString& source, const QString& target = {});
    void remove(const QString& entry);
    void clear();
    static QStringList filesOf(const QString& entry);

signals:
    void changed();

private:
    void store(const QStringList& entries);
};

} // namespace tilescope::gui
