// How a row of the list of recent profiles is drawn.
#pragma once

#include <QStyledItemDelegate>

#include "views/theme/theme.h"

namespace tilescope::gui {

/// Two lines: the model and how it was run, with the verdict and the age on the right; then where
/// the file is. Missing files are muted.
class RecentRow : public QStyledItemDelegate {
    Q_OBJECT
public:
    enum Role {
        TitleRole = Qt::UserRole + 1,
        DetailsRole,
        VerdictRole,
        AgeRole,
        PlaceRole,
        GoodRole,
        MissingRole
    };
    explicit RecentRow(const views::ThemeSource& theme, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;

private:
    const views::ThemeSource& theme_;
};

} // namespace tilescope::gui
