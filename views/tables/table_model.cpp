#include "views/tables/table_model.h"
#include "views/theme/text.h"

#include <QFont>
#include <algorithm>
#include <optional>

#include "core/base/error.h"

namespace tilescope::views {

TableModel::TableModel(ViewContext& context, QObject* parent)
    : QAbstractTableModel(parent)
    , context_(context)
    , arranging_(context.workers, About::Other) {
    const auto repaint = [this] {
        if (rowCount() > 0)
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        if (columnCount() > 0)
            emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    };
    connect(&context_.preferences, &Preferences::unitsChanged, this, repaint);
    connect(&context_.theme, &ThemeSource::changed, this, repaint);
}

void TableModel::setTable(Table table) {
    arranging_.cancel();
    beginResetModel();
    // Keep sorting by a column only if the columns are the same.
    if (table.columns.size() != table_->columns.size())
        wish_.sortColumn = -1;
    // Freeing a large table takes a while.
    if (table_->rows.size() > arrangedAtOnce)
        context_.workers.free(std::move(table_));
    columns_.clear();
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        if (isShown(table.columns[i].shown, Shown::Window))
            columns_.push_back(i);
    right_ = numberColumns(table);
    table_ = std::make_shared<const Table>(std::move(table));
    largest_.assign(table_->columns.size(), std::nullopt);
    clockHz_ = context_.reports.clockHz();
    const bool large = table_->rows.size() > arrangedAtOnce;
    arrangement_ = arranged(*table_, large ? Wish() : wish_, {});
    endResetModel();
    if (large && (wish_.sortColumn >= 0 || !wish_.filter.pattern().isEmpty()))
        arrangeAnew(false);
}

void TableModel::setFilter(const QString& pattern) {
    wish_.filter = QRegularExpression(pattern, QRegularExpression::CaseInsensitiveOption);
    if (!wish_.filter.isValid())
        wish_.filter.setPattern(QRegularExpression::escape(pattern));
    arrangeAnew(false);
}

void TableModel::sort(int column, Qt::SortOrder order) {
    if (column >= columnCount())
        return;
    wish_.sortColumn =
        column < 0 ? -1 : static_cast<int>(columns_[static_cast<std::size_t>(column)]);
    wish_.order = order;
    arrangeAnew(true);
}

void TableModel::arrangeAnew(bool keepsSelection) {
    if (table_->rows.size() <= arrangedAtOnce)
        return take(arranged(*table_, wish_, {}), keepsSelection);
    arranging_.start(
        [this, table = table_, wish = wish_, keepsSelection](const std::stop_token& stop) {
            return [this, arrangement = arranged(*table, wish, stop), keepsSelection]() mutable {
                take(std::move(arrangement), keepsSelection);
            };
        });
}

void TableModel::take(Arrangement arrangement, bool keepsSelection) {
    // For a view, added or removed rows make another table; reordered rows do not.
    if (keepsSelection && arrangement.shown.size() == arrangement_.shown.size())
        return takeSorted(std::move(arrangement));
    beginResetModel();
    arrangement_ = std::move(arrangement);
    endResetModel();
}

void TableModel::takeSorted(Arrangement arrangement) {
    emit layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    // The table's rows at the persistent indexes; none for the totals, which stay where they are.
    std::vector<std::optional<std::uint32_t>> rows;
    rows.reserve(static_cast<std::size_t>(before.size()));
    for (const QModelIndex& index : before)
        rows.push_back(
            index.row() < firstRow()
                ? std::nullopt
                : std::optional(
                      arrangement_.shown[static_cast<std::size_t>(index.row() - firstRow())]));
    arrangement_ = std::move(arrangement);
    const std::vector<std::uint32_t>& shown = arrangement_.shown;
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) {
        const std::optional<std::uint32_t> row = rows[static_cast<std::size_t>(i)];
        const auto place = std::find(shown.begin(), shown.end(), row.value_or(0));
        after.append(index(row ? firstRow() + static_cast<int>(place - shown.begin()) : 0,
                           before[i].column()));
    }
    changePersistentIndexList(before, after);
    emit layoutChanged();
}

TableModel::Arrangement TableModel::arranged(const Table& table, const Wish& wish,
                                             const std::stop_token& stop) {
    const bool filtered = !wish.filter.pattern().isEmpty();
    const auto passes = [&](const Row& row) {
        return std::any_of(row.cells.begin(), row.cells.end(), [&](const Cell& cell) {
            const auto* text = std::get_if<std::string>(&cell);
            return text != nullptr && wish.filter.match(QString::fromStdString(*text)).hasMatch();
        });
    };
    Arrangement result;
    result.shown.reserve(table.rows.size());
    for (std::uint32_t i = 0; i < table.rows.size(); ++i) {
        if (stop.stop_requested())
            throw Cancelled();
        if (!filtered || passes(table.rows[i]))
            result.shown.push_back(i);
    }
    if (table.hasTotals() && !result.shown.empty())
        result.totals = {totalsOf(table, result.shown), -1, true, Unit::None};
    if (wish.sortColumn < 0)
        return result;
    const auto column = static_cast<std::size_t>(wish.sortColumn);
    std::stable_sort(result.shown.begin(), result.shown.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                         const Cell& first = table.rows[a].cells[column];
                         const Cell& second = table.rows[b].cells[column];
                         return wish.order == Qt::AscendingOrder ? cellLess(first, second)
                                                                 : cellLess(second, first);
                     });
    return result;
}

std::int32_t TableModel::idAt(int row) const {
    return row >= 0 && row < rowCount() ? rowAt(row).id : -1;
}

int TableModel::rowOf(std::int32_t id) const {
    const std::vector<std::uint32_t>& shown = arrangement_.shown;
    const auto found = std::find_if(shown.begin(), shown.end(),
                                    [&](std::uint32_t row) { return table_->rows[row].id == id; });
    return id < 0 || found == shown.end() ? -1
                                          : firstRow() + static_cast<int>(found - shown.begin());
}

const Row& TableModel::rowAt(int row) const {
    if (row < firstRow())
        return arrangement_.totals;
    return table_->rows[arrangement_.shown[static_cast<std::size_t>(row - firstRow())]];
}

int TableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : firstRow() + shownRows();
}

int TableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

const Column& TableModel::columnAt(int column) const {
    return table_->columns[columns_[static_cast<std::size_t>(column)]];
}

bool TableModel::hasText(const QModelIndex& index) const {
    return index.row() >= firstRow() && std::holds_alternative<std::string>(cellAt(index));
}

const Cell& TableModel::cellAt(const QModelIndex& index) const {
    return rowAt(index.row()).cells[columns_[static_cast<std::size_t>(index.column())]];
}

Unit TableModel::unitAt(const QModelIndex& index) const {
    return unitOf(rowAt(index.row()), columnAt(index.column()));
}

// Values with a unit are right-aligned, and so are columns of plain numbers.
bool TableModel::isRight(int column) const {
    return columnAt(column).unit != Unit::None ||
           right_[columns_[static_cast<std::size_t>(column)]];
}

// The largest amount of a column; 0 if bars would not be meaningful: without amounts, with negative
// values, and beside changes, which matter more there.
double TableModel::largestOf(std::size_t column) const {
    if (largest_[column])
        return *largest_[column];
    const Column& of = table_->columns[column];
    const bool amounts = of.unit == Unit::Bytes || of.unit == Unit::Cycles ||
                         of.unit == Unit::Seconds || of.unit == Unit::Flops;
    const Row& first = table_->rows.front();
    const bool ofTwo = std::any_of(table_->columns.begin(), table_->columns.end(),
                                   [](const Column& each) { return each.difference; }) ||
                       std::any_of(first.cells.begin(), first.cells.end(), [](const Cell& cell) {
                           return std::holds_alternative<Change>(cell);
                       });
    double largest = 0;
    for (const Row& row : table_->rows) {
        const Cell& cell = row.cells[column];
        const double value = numberOf(cell).value_or(0);
        if (!amounts || ofTwo || value < 0) {
            largest = 0;
            break;
        }
        if (!barless_ || !barless_(row.id))
            largest = std::max(largest, value);
    }
    largest_[column] = largest;
    return largest;
}

QVariant TableModel::barShare(const QModelIndex& index) const {
    // Totals are not items, and with two rows it is obvious which is larger.
    constexpr std::size_t fewestRows = 3;
    if (index.row() < firstRow() || table_->rows.size() < fewestRows)
        return {};
    const double largest = largestOf(columns_[static_cast<std::size_t>(index.column())]);
    const std::optional<double> value = numberOf(cellAt(index));
    if (barless_ && barless_(rowAt(index.row()).id))
        return {};
    return largest > 0 && value ? QVariant(*value / largest) : QVariant();
}

Table TableModel::rawTable(const std::vector<int>& rows) const {
    Table table = *table_;
    table.rows.clear();
    for (const int row : rows)
        if (row >= firstRow()) // totals are not items
            table.rows.push_back(rowAt(row));
    return table;
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Column& column = columnAt(index.column());
    const Cell& cell = cellAt(index);
    switch (role) {
    case Qt::ToolTipRole:
        // Names are often longer than their column; tool tips of numbers have the exact value.
        if (std::holds_alternative<std::int64_t>(cell) && unitAt(index) == Unit::Bytes)
            return QString::fromStdString(textOf(cell, Unit::Bytes, {ByteUnits::Plain}));
        [[fallthrough]];
    case Qt::DisplayRole:
        if (plain_)
            return std::holds_alternative<std::monostate>(cell) ? QStringLiteral("NULL")
                                                                : shownName(rawText(cell));
        return cellText(cell, unitAt(index), context_.preferences, clockHz_, column.difference);
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter |
                        (isRight(index.column()) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::FontRole:
        if (rowAt(index.row()).emphasised) {
            QFont font;
            font.setBold(true);
            return font;
        }
        return {};
    case barRole:
        return barShare(index);
    case Qt::ForegroundRole:
        return foregroundOf(cell, unitAt(index), context_.theme.current());
    default:
        return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return QAbstractTableModel::headerData(section, orientation, role);
    const Column& column = columnAt(section);
    switch (role) {
    case Qt::DisplayRole:
        return columnTitle(column, context_.preferences, clockHz_);
    case Qt::ToolTipRole:
        return column.help.empty() ? QVariant() : translated(column.help);
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter | (isRight(section) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::InitialSortOrderRole: // numbers: the largest come first
        return isRight(section) ? Qt::DescendingOrder : Qt::AscendingOrder;
    default:
        return {};
    }
}

} // namespace tilescope::views
