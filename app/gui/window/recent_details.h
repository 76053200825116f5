// What the list of recent profiles says about each of them.
#pragma once

#include <QDateTime>
#include <QMap>
#include <QObject>
#include <QStringList>
#include <optional>

#include "core/profile/profile.h"
#include "views/query/background_query.h"

namespace tilescope::gui {

/// A file as it was when it was looked at.
struct RecentFile {
    bool missing = false;
    bool sweep = false;
    QString failure;                 ///< why it cannot be read; empty if it can
    std::optional<ProfileInfo> info; ///< of a profile
    QDateTime written;               ///< when the file was
};

/// Looks at files on a worker thread, and reads of each profile no more than what it says of
/// itself. A file is read again only after it was written anew.
class RecentDetails : public QObject {
    Q_OBJECT
public:
    explicit RecentDetails(views::Workers& workers, QObject* parent = nullptr);
    /// Entries as RecentFiles has them.
    void read(const QStringList& entries);
    /// Null until the file has been looked at.
    [[nodiscard]] const RecentFile* find(const QString& file) const;

signals:
    void changed();

private:
    views::BackgroundQuery query_;
    QMap<QString, RecentFile> files_;
};

/// A row of the list.
struct RecentText {
    QString title;   ///< the model, both models of a comparison
    QString details; ///< batch and machine; what differs between two
    QString verdict; ///< "fits"; empty where nothing is known
    QString age;
    QString place; ///< folder and file
    bool good = true;
    bool missing = false;
};

/// `files`: a profile, or source and target. Where nothing is known yet the file's name stands for
/// the model.
RecentText recentText(const QStringList& files, const RecentDetails& details, const QDateTime& now);

} // namespace tilescope::gui
