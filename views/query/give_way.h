// Which threads go first where there are fewer cores than threads.
#pragma once

namespace tilescope::views {

/// Lets the window's thread go before the calling one, a worker's, for good: frames are waited for,
/// a query that takes a moment longer is not noticed.
void giveWay();

} // namespace tilescope::views
