// A damaged profile in the window: opened, every report visited, tables, trees, tabs and plots
// used.
#pragma once

#include <QStringList>

#include "tests/bench/damage/supervisor.h"

class QApplication;

namespace tilescope::bench {

/// Opens a profile, or two to compare, in a window of its own (a QApplication must exist). What the
/// window says and does not say about good profiles is the verdict's text; `usual` are the texts
/// that it shows for those.
JobResult visitByWindow(const QStringList& profiles, const QStringList& usual, const Progress& at);

/// Everything that the window says about good profiles: the empty states.
QStringList textsOfWindow(const QStringList& profiles, const Progress& at);

} // namespace tilescope::bench
