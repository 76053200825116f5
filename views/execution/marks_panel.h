// The list of marks below the trace.
#pragma once

#include <QWidget>

#include "views/execution/marks.h"
#include "views/widgets/wrapped_label.h"

class QLabel;
class QTreeView;

namespace tilescope::views {

/// Marks with their cycles and times. Enter or a click on a cycle goes there, a double click on the
/// text edits it; Delete removes the selected marks. If several are selected, the difference of the
/// first and the last is shown. As long as marks cannot be saved, it says why.
class MarksPanel : public QWidget {
    Q_OBJECT
public:
    explicit MarksPanel(MarksModel& model, QWidget* parent = nullptr);
    /// Lets the user edit the text of a mark.
    void editText(int row);
    [[nodiscard]] QTreeView& list() { return *list_; }
    [[nodiscard]] QLabel& difference() { return *difference_; }
    [[nodiscard]] WrappedLabel& problem() { return *problem_; }

signals:
    void goTo(const tilescope::views::TraceFlag& mark);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void activate(const QModelIndex& index);
    void removeSelected();
    void tellDifference();
    [[nodiscard]] std::vector<int> selectedRows() const;

    MarksModel& model_;
    QTreeView* list_;
    QLabel* difference_;
    WrappedLabel* problem_ = nullptr;
};

} // namespace tilescope::views
