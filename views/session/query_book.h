// The queries that a user has run and saved.
#pragma once

#include <QObject>
#include <QStringList>
#include <vector>

namespace tilescope::views {

/// History and saved queries of the SQL console. Nothing is kept beyond the window unless keep()
/// was called; then every change goes to QSettings at once, so that windows share it.
class QueryBook : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    static constexpr qsizetype historySize = 50;

    struct Saved {
        QString name;
        QString sql;
        friend bool operator==(const Saved&, const Saved&) = default;
    };

    /// Reads saved entries, and saves all further changes.
    void keep();
    /// The newest first, each text once.
    [[nodiscard]] const QStringList& history() const { return history_; }
    void addToHistory(const QString& sql);
    void clearHistory();
    /// By name; an existing name is replaced.
    [[nodiscard]] const std::vector<Saved>& saved() const { return saved_; }
    void save(const QString& name, const QString& sql);
    void remove(const QString& name);

signals:
    void changed();

private:
    void read();
    void write();

    QStringList history_;
    std::vector<Saved> saved_;
    bool kept_ = false;
};

} // namespace tilescope::views
