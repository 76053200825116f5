// A titled table that stands in full: no filter, no scrolling of its own unless it must.
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
    /// Another row is selected or none, whoever did it.
    void rowChanged();

private:
    void fitColumns();
    bool eventFilter(QObject* watched, QEvent* event) override;

    TableModel* model_;
    QTableView* view_;
    QLabel* title_;
    QHBoxLayout* heading_;
    bool selecting_ = false; ///< the selection changes because selectId() says so
};

} // namespace tilescope::views
