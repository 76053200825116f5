// The selection, shared by all views.
#pragma once

#include <QObject>

#include "core/view/thing.h"

namespace tilescope::views {

/// What is selected; none of a kind, or no tiles, means "nothing".
using Selected = Things;

/// The one selection of the window. Views change it with update() and follow changed(); History
/// keeps earlier ones.
class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] const Selected& current() const { return current_; }
    void set(const Selected& selected);
    /// Copies the current selection, lets `change` edit the copy and sets it.
    template <class Change> void update(Change change) {
        Selected next = current_;
        change(next);
        set(next);
    }
    void clear() { set({}); }

signals:
    void changed();

private:
    Selected current_;
};

} // namespace tilescope::views
