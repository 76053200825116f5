// What a window shows, kept for the next time, and what it is to show next.
#pragma once

#include <QMainWindow>
#include <optional>

#include "app/gui/window/deep_link.h"
#include "app/gui/window/report_host.h"
#include "app/gui/window/session_state.h"
#include "views/session/file_watch.h"
#include "views/session/remote_watch.h"

namespace tilescope::gui {

class MessageBar;

/// A session, link or report that waits until its profiles are open. Their selection is restored
/// first, then the zoom and the controls of each report as these are read. Watches the files of the
/// open profiles, and reads those that are written anew.
class SessionKeeper : public QObject {
    Q_OBJECT
public:
    SessionKeeper(QMainWindow& window, views::ViewContext& context, ReportHost& host,
                  MessageBar& messages);

    /// Paths of the profiles that are open: none, a source, or both.
    [[nodiscard]] QStringList files() const;
    [[nodiscard]] SessionState state() const;
    /// A link to what the window shows.
    [[nodiscard]] views::RemoteWatch& remoteWatch() { return remoteWatch_; }
    [[nodiscard]] DeepLink link() const;
    void copyLink() const;

    /// Other files are opened: forgets what waits, except for a session of these.
    void opening(const QStringList& files);
    void expect(const SessionState& state);
    void expect(const DeepLink& link);
    void expect(Report report) { report_ = report; }
    /// The profiles were not opened.
    void forget();
    /// Other profiles are open, or none: shows what waits for them.
    void profilesChanged();

private:
    void restoreSelection();
    void restoreZoom();
    void restoreControls();
    void followLink();
    void showLinkedRange();
    void fileChanged(const QString& file);
    void openingEnded();

    QMainWindow& window_;
    views::ViewContext& context_;
    ReportHost& host_;
    MessageBar& messages_;
    views::FileWatch watch_;
    views::RemoteWatch remoteWatch_;
    std::optional<SessionState> session_;
    std::optional<Report> report_;
    std::optional<DeepLink> link_;
    QJsonObject controls_; ///< of reports that were not shown yet
    QString rewritten_;    ///< the changed file that is being reloaded
};

} // namespace tilescope::gui
