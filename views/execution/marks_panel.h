// The list of marks below the trace.
#pragma once

#include <QWidget>

#include "views/execution/marks.h"

class QTreeView;

namespace tilescope::views {

/// Marks with their cycles and times. Enter or a double click on a cycle goes there, on the text
/// edits it; Delete removes the mark.
class MarksPanel : public QWidget {
    Q_OBJECT
public:
    explicit MarksPanel(MarksModel& model, QWidget* parent = nullptr);

signals:
    void goTo(double cycle);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void activate(const QModelIndex& index);

    MarksModel& model_;
    QTreeView* list_;
};

} // namespace tilescope::views
