// What a report is filtered to.
#pragma once

#include <QToolButton>

#include "views/session/view_context.h"

namespace tilescope::views {

/// A button that is there while a loss filters the reports, names it, and clears it.
class LossChip : public QToolButton {
    Q_OBJECT
public:
    explicit LossChip(ViewContext& context, QWidget* parent = nullptr);

private:
    void follow();
    ViewContext& context_;
};

} // namespace tilescope::views
