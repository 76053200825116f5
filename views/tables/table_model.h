// A table as an item model that sorts and filters itself.
#pragma once

#include <QAbstractTableModel>
#include <QRegularExpression>
#include <QTableView>
#include <functional>
#include <memory>
#include <optional>

#include "views/query/background_query.h"
#include "views/session/view_context.h"
#include "views/tables/cell_text.h"

namespace tilescope::views {

/// Keeps the values and an order of row numbers; text is made only for the cells on the screen. A
/// table with totals has them in its first row, over the rows that the filter leaves. Large tables
/// are filtered and sorted by a worker and keep their rows until it is done.
class TableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit TableModel(ViewContext& context, QObject* parent = nullptr);

    void setTable(Table table);
    [[nodiscard]] const Table& table() const { return *table_; }
    /// Keeps rows with a text cell that matches: a regular expression, or plain text if the pattern
    /// is not a valid one. Case does not matter.
    void setFilter(const QString& pattern);
    /// Shows values as SQL has them: plain digits, and NULL.
    void showPlainValues() { plain_ = true; }
    /// Rows of these ids have no bars: what they have is no part of what is compared, and would
    /// make the bars of all others slivers.
    void setBarless(std::function<bool(std::int32_t id)> barless) { barless_ = std::move(barless); }
    /// The id of the row on the screen, -1 if there is none.
    [[nodiscard]] std::int32_t idAt(int row) const;
    /// The row on the screen of an id, -1 if it is not shown.
    [[nodiscard]] int rowOf(std::int32_t id) const;
    /// Whether a cell has a text that rows can be filtered by: totals and empty cells have none.
    [[nodiscard]] bool hasText(const QModelIndex& index) const;
    /// Rows of the table that the filter leaves, without the totals.
    [[nodiscard]] int shownRows() const { return static_cast<int>(arrangement_.shown.size()); }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;
    void sort(int column, Qt::SortOrder order) override;
    /// A table with only these rows of the model, in machine-readable form.
    [[nodiscard]] Table rawTable(const std::vector<int>& rows) const;

    /// Tables with more rows are arranged by a worker.
    static constexpr std::size_t arrangedAtOnce = 20'000;

private:
    /// Which rows are shown, in which order, and their totals.
    struct Arrangement {
        std::vector<std::uint32_t> shown;
        Row totals; ///< no cells if there are none
    };
    struct Wish {
        QRegularExpression filter;
        int sortColumn = -1; ///< -1: original order
        Qt::SortOrder order = Qt::DescendingOrder;
    };
    static Arrangement arranged(const Table& table, const Wish& wish, const std::stop_token& stop);
    void arrangeAnew(bool keepsSelection);
    void take(Arrangement arrangement, bool keepsSelection);
    void takeSorted(Arrangement arrangement);
    [[nodiscard]] const Row& rowAt(int row) const;
    [[nodiscard]] const Cell& cellAt(const QModelIndex& index) const;
    [[nodiscard]] const Column& columnAt(int column) const;
    [[nodiscard]] Unit unitAt(const QModelIndex& index) const;
    [[nodiscard]] bool isRight(int column) const;
    [[nodiscard]] QVariant barShare(const QModelIndex& index) const;
    [[nodiscard]] double largestOf(std::size_t column) const;
    [[nodiscard]] int firstRow() const { return arrangement_.totals.cells.empty() ? 0 : 1; }

    ViewContext& context_;
    std::shared_ptr<const Table> table_ = std::make_shared<const Table>();
    std::vector<std::size_t> columns_; ///< of the table, those that are shown
    std::vector<bool> right_;          ///< by column of the table: aligned to the right
    mutable std::vector<std::optional<double>> largest_; ///< by column of the table, once asked for
    Arrangement arrangement_;
    Wish wish_;
    BackgroundQuery arranging_;
    std::function<bool(std::int32_t)> barless_; ///< null if all rows have bars
    double clockHz_ = 0;                        ///< of the table's profiles
    bool plain_ = false;
};

/// How tables look, and that rows are selected as a whole, one at a time.
void setUpTable(QTableView& view);

} // namespace tilescope::views
