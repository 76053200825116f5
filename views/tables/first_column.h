// Trees whose first column has the names.
#pragma once

#include <QObject>

class QTreeView;

namespace tilescope::views {

/// Gives the values of a tree the room that they need and the names in its first column what is
/// left, but never less than names need: then the tree scrolls.
class FirstColumnFills : public QObject {
    Q_OBJECT
public:
    explicit FirstColumnFills(QTreeView& view);
    /// After other values were set.
    void fit();

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void giveRest();

    QTreeView& view_;
};

} // namespace tilescope::views
