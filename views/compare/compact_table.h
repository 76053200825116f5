// A titled table shown in full: no filter, no scrolling of its own unless it must.
#pragma once

#include <QTableView>
#include <QWidget>

#include "views/tables/table_model.h"

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace tilescope::views {

class CompactTable : public QWidget {
    Q_OBJECT
public:
    explicit CompactTable(ViewContext& context, QWidget* parent = nullptr);
    void setTable(const QString& title, Table table);
    void selectId(std::int32_t id);
    /// A button in the line of the title.
    QToolButton* addButton(const QString& text);
    /// The selected row; -1 if none is.
    [[nodiscard]] int selectedRow() const;
    [[nodiscard]] QTableView& view() { return *view_; }
    [[nodiscard]] TableModel& model() { return *model_; }

signals:
    /// The user has selected, or activated, a row.
    void chosen(std::int32_t id);
    void activated(std::int32_t id);
    /// The selected row has changed or the selection is empty, whatever the cause.
    void rowChanged();

private:
    void fitColumns();
    [[nodiscard]] int widthOf(int column) const;
    bool eventFilter(QObject* watched, QEvent* event) override;

    TableModel* model_;
    QTableView* view_;
    QLabel* title_;
    QHBoxLayout* heading_;
    bool selecting_ = false; ///< the selection is being changed by selectId()
};

} // namespace tilescope::views
