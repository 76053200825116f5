// How the user has set the controls of a report.
#pragma once

#include <QJsonObject>
#include <QString>
#include <QWidget>

namespace tilescope::views {

/// Tabs, choices, switches and filters of a report by their names. Controls that only mirror state
/// kept elsewhere are left out: see leaveOutOfState(). A widget with more state than its controls
/// has a property `keptState` (Q_PROPERTY), a JSON object.
QJsonObject controlStates(const QWidget& report);

/// Sets controls to a former state, as a user would. Returns what could not be set: a choice may
/// get its items only when its profile has been read.
QJsonObject setControlStates(QWidget& report, const QJsonObject& states);

/// Leaves out a control that follows the selection or the zoom, which are kept themselves.
void leaveOutOfState(QWidget& control);

/// Brings a tab to the front, makes a choice or turns a switch on by its text; only letters and
/// digits count. False if no control that can be used has such a text.
bool chooseByText(QWidget& report, const QString& text);

} // namespace tilescope::views
