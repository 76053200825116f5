// The details shown in the list of recent profiles.
#pragma once

#include <QDateTime>
#include <QMap>
#include <QObject>
#include <QStringList>
#include <optional>

#include "core/profile/profile.h"
#include "views/query/background_query.h"

namespace tilescope::gui {

/// The state of a file when it was read.
struct RecentFile {
    bool missing = false;
    bool remote = false;  ///< nothing is known of it
    bool capture = false; ///< a profile is made of it when it is opened
    bool sweep = false;
    QString failure;                 ///< why it cannot be read; empty if it can
    std::optional<ProfileInfo> info; ///< if it is a profile
    QDateTime written;               ///< modification time of the file
};

/// Reads files on a worker thread, of each profile only its general information. A file is read
/// again only after it has been rewritten.
class RecentDetails : public QObject {
    Q_OBJECT
public:
    explicit RecentDetails(views::Workers& workers, QObject* parent = nullptr);
    /// Entries as RecentFiles has them.
    void read(const QStringList& entries);
    /// Null until the file has been read.
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
    QString details; ///< batch and machine; the differences between two
    QString verdict; ///< "fits"; empty if unknown
    QString age;
    QString place; ///< folder and file
    bool good = true;
    bool missing = false;
};

/// `files`: a profile, or source and target. While nothing is known yet, the file's name is used
/// instead of the model.
RecentText recentText(const QStringList& files, const RecentDetails& details, const QDateTime& now);

} // namespace tilescope::gui
