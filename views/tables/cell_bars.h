// Bars below the numbers of a table.
#pragma once

#include <QStyledItemDelegate>

#include "views/theme/theme.h"

namespace tilescope::views {

/// Draws cells as usual, and below each number a thin bar whose length relative to the longest of
/// its column is barRole. The digits' background stays clear.
class CellBars : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit CellBars(const ThemeSource& theme, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    /// Where the bar of a cell is; empty without one.
    [[nodiscard]] static QRectF barIn(const QRect& cell, double share);

private:
    const ThemeSource& theme_;
};

} // namespace tilescope::views
