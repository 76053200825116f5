// What every view is given.
#pragma once

#include "views/query/workers.h"
#include "views/session/frame_times.h"
#include "views/session/history.h"
#include "views/session/loss_filter.h"
#include "views/session/preferences.h"
#include "views/session/query_book.h"
#include "views/session/report_pair.h"
#include "views/session/selection.h"
#include "views/session/zoom_range.h"
#include "views/theme/theme.h"

namespace tilescope::views {

/// The shared state of one window. Views keep a reference; the window owns it and outlives them.
/// Members are in the order of construction: later ones use earlier ones.
struct ViewContext {
    Workers workers;
    Preferences preferences;
    QueryBook queries;
    ThemeSource theme;
    FrameTimes frameTimes;
    ReportPair reports{workers};
    Selection selection;
    LossFilter lossFilter;
    ZoomRange timeZoom; ///< cycles
    History history{selection, timeZoom};
};

} // namespace tilescope::views
