// How the lines of the palette look.
#pragma once

#include <QStyledItemDelegate>

namespace tilescope::gui {

/// The name of a hit on the left and its detail, muted, on the right; headings are muted and bold.
class PaletteLines : public QStyledItemDelegate {
    Q_OBJECT
public:
    enum Role { headingRole = Qt::UserRole, nameRole, detailRole, kindRole, hitRole };

    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace tilescope::gui
