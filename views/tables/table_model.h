// A DataTable as an item model that sorts and filters itself.
#pragma once

#include <QAbstractTableModel>
#include <QRegularExpression>

#include "views/session/view_context.h"
#include "views/tables/data_table.h"

namespace tilescope::views {

/// Keeps the values and an order of row numbers; text is made only for the cells on the screen. A
/// table with totals has them in its first row, over the rows that the filter leaves.
class TableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit TableModel(ViewContext& context, QObject* parent = nullptr);

    void setTable(DataTable table);
    [[nodiscard]] const DataTable& table() const { return table_; }
    /// Keeps rows with a text cell that matches: a regular expression, or the plain text where the
    /// pattern is none. Case does not matter.
    void setFilter(const QString& pattern);
    /// The id of the row on the screen, -1 if there is none.
    [[nodiscard]] std::int32_t idAt(int row) const;
    /// The row on the screen of an id, -1 if it is not shown.
    [[nodiscard]] int rowOf(std::int32_t id) const;
    /// Rows of the table that the filter leaves, without the totals.
    [[nodiscard]] int shownRows() const { return static_cast<int>(shown_.size()); }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    void rebuild();
    void sortRows();
    [[nodiscard]] bool passes(const DataRow& row) const;
    [[nodiscard]] const DataRow& rowAt(int row) const;
    [[nodiscard]] const Cell& cellAt(const QModelIndex& index) const;
    [[nodiscard]] int firstRow() const { return totals_.cells.empty() ? 0 : 1; }

    ViewContext& context_;
    DataTable table_;
    double clockHz_ = 0;               ///< of the profiles that the table is of
    std::vector<std::uint32_t> shown_; ///< rows of the table in the order of the screen
    DataRow totals_;                   ///< no cells if there are none
    QRegularExpression filter_;
    int sortColumn_ = -1; ///< -1: as the table came
    Qt::SortOrder sortOrder_ = Qt::DescendingOrder;
};

} // namespace tilescope::views
