// The state of a window, to be restored later.
#pragma once

#include <QJsonObject>
#include <QStringList>

#include "app/gui/window/reports.h"
#include "views/session/view_context.h"

namespace tilescope::gui {

/// Profiles, report, zoom, selection, and tabs and filters of the reports of one window. Kept as
/// JSON in QSettings.
struct SessionState {
    /// A zoom is meaningful only within the limits it was made for.
    struct Zoom {
        double first = 0;
        double last = 0;
        double from = 0;
        double to = 0;
    };
    QStringList files; ///< none, a source, or source and target
    Report report = Report::Summary;
    views::Selected selected;
    Zoom zoom;
    QByteArray geometry;
    QJsonObject controls; ///< of each report by its name: see views/widgets/control_states.h
};

QJsonObject toJson(const SessionState& state);
/// Missing or invalid entries are left at their defaults.
SessionState sessionFrom(const QJsonObject& json);

/// All windows of the last session; empty if there was none.
std::vector<SessionState> storedSession();
void storeSession(const std::vector<SessionState>& windows);

} // namespace tilescope::gui
