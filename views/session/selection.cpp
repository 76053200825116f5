#include "views/session/selection.h"

namespace tilescope::views {

void Selection::set(const Selected& selected) {
    if (selected == current_)
        return;
    current_ = selected;
    emit changed();
}

} // namespace tilescope::views
