// The last events, printed when the program crashes.
#pragma once

#include <QString>

namespace tilescope::test {

/// Prints the text and the last events to standard error when a signal or a sanitizer ends the
/// program, which then ends as it would have. Call it once.
void tellLastEventsOnDeath(const QString& text);

/// Cheap: a line in memory.
void noteEvent(const QString& event);

/// The events that were noted last, the newest at the end.
QString lastEvents();

} // namespace tilescope::test
