// The last things that happened, told when the program dies.
#pragma once

#include <QString>

namespace tilescope::test {

/// Tells the text, and the events that were noted last, on standard error when a signal or a
/// sanitizer ends the program, which then ends as it would have. Call it once.
void tellLastEventsOnDeath(const QString& text);

/// Cheap: a line in memory.
void noteEvent(const QString& event);

/// The events that were noted last, the newest at the end.
QString lastEvents();

} // namespace tilescope::test
