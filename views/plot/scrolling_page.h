// Plots in the middle of a page.
#pragma once

class QWidget;

namespace tilescope::views {

/// Whether a widget is on a page that can be scrolled: there the wheel is the page's.
bool isOnScrollingPage(const QWidget& widget);

} // namespace tilescope::views
