// How the user has set the controls of a report.
#pragma once

#include <QJsonObject>
#include <QString>
#include <QWidget>

namespace tilescope::views {

/// Tabs, choices, switches and filters of a report by what they are called. Controls that only show
/// what is kept elsewhere are left out: see leaveOutOfState(). A widget with more to keep than
/// controls say has a property `keptState` (Q_PROPERTY), an object of JSON.
QJsonObject controlStates(const QWidget& report);

/// Sets controls as they were, as a user would. Returns what could not be set: a choice may have
/// its items when its profile has been read.
QJsonObject setControlStates(QWidget& report, const QJsonObject& states);

/// A control that follows the selection or the zoom, which are kept themselves.
void leaveOutOfState(QWidget& control);

/// Brings a tab to the front, makes a choice or turns a switch on by its text; only letters and
/// digits count. False if no control of the report has such a text.
bool chooseByText(QWidget& report, const QString& text);

} // namespace tilescope::views
