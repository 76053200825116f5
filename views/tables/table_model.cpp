#include "views/tables/table_model.h"

#include <QFont>
#include <algorithm>
#include <optional>

namespace tilescope::views {

TableModel::TableModel(ViewContext& context, QObject* parent)
    : QAbstractTableModel(parent)
    , context_(context) {
    const auto repaint = [this] {
        if (rowCount() > 0)
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        if (columnCount() > 0)
            emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    };
    connect(&context_.preferences, &Preferences::unitsChanged, this, repaint);
    connect(&context_.theme, &ThemeSource::changed, this, repaint);
}

void TableModel::setTable(DataTable table) {
    beginResetModel();
    // Sorting by a column stays only if the column does.
    if (table.columns.size() != table_.columns.size())
        sortColumn_ = -1;
    table_ = std::move(table);
    clockHz_ = context_.reports.clockHz();
    rebuild();
    endResetModel();
}

void TableModel::setFilter(const QString& pattern) {
    beginResetModel();
    filter_ = QRegularExpression(pattern, QRegularExpression::CaseInsensitiveOption);
    if (!filter_.isValid())
        filter_.setPattern(QRegularExpression::escape(pattern));
    rebuild();
    endResetModel();
}

void TableModel::rebuild() {
    shown_.clear();
    shown_.reserve(table_.rows.size());
    for (std::uint32_t i = 0; i < table_.rows.size(); ++i)
        if (passes(table_.rows[i]))
            shown_.push_back(i);
    totals_ = {};
    if (table_.hasTotals() && !shown_.empty())
        totals_ = {totalsOf(table_, shown_), -1, true};
    sortRows();
}

bool TableModel::passes(const DataRow& row) const {
    if (filter_.pattern().isEmpty())
        return true;
    return std::any_of(row.cells.begin(), row.cells.end(), [this](const Cell& cell) {
        const auto* text = std::get_if<std::string>(&cell);
        return text != nullptr && filter_.match(QString::fromStdString(*text)).hasMatch();
    });
}

void TableModel::sort(int column, Qt::SortOrder order) {
    if (column < 0 || column >= columnCount())
        return;
    emit layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    // The rows of the table that the indexes are at; none for the totals, which stay where they
    // are.
    std::vector<std::optional<std::uint32_t>> rows;
    rows.reserve(static_cast<std::size_t>(before.size()));
    for (const QModelIndex& index : before)
        rows.push_back(
            index.row() < firstRow()
                ? std::nullopt
                : std::optional(shown_[static_cast<std::size_t>(index.row() - firstRow())]));
    sortColumn_ = column;
    sortOrder_ = order;
    sortRows();
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) {
        const std::optional<std::uint32_t> row = rows[static_cast<std::size_t>(i)];
        const auto place = std::find(shown_.begin(), shown_.end(), row.value_or(0));
        after.append(index(row ? firstRow() + static_cast<int>(place - shown_.begin()) : 0,
                           before[i].column()));
    }
    changePersistentIndexList(before, after);
    emit layoutChanged();
}

void TableModel::sortRows() {
    if (sortColumn_ < 0)
        return;
    const auto column = static_cast<std::size_t>(sortColumn_);
    std::stable_sort(shown_.begin(), shown_.end(), [&](std::uint32_t a, std::uint32_t b) {
        const Cell& first = table_.rows[a].cells[column];
        const Cell& second = table_.rows[b].cells[column];
        return sortOrder_ == Qt::AscendingOrder ? cellLess(first, second) : cellLess(second, first);
    });
}

std::int32_t TableModel::idAt(int row) const {
    return row >= 0 && row < rowCount() ? rowAt(row).id : -1;
}

int TableModel::rowOf(std::int32_t id) const {
    const auto found = std::find_if(shown_.begin(), shown_.end(),
                                    [&](std::uint32_t row) { return table_.rows[row].id == id; });
    return id < 0 || found == shown_.end() ? -1
                                           : firstRow() + static_cast<int>(found - shown_.begin());
}

const DataRow& TableModel::rowAt(int row) const {
    if (row < firstRow())
        return totals_;
    return table_.rows[shown_[static_cast<std::size_t>(row - firstRow())]];
}

int TableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : firstRow() + shownRows();
}

int TableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

const Cell& TableModel::cellAt(const QModelIndex& index) const {
    return rowAt(index.row()).cells[static_cast<std::size_t>(index.column())];
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const DataColumn& column = table_.columns[static_cast<std::size_t>(index.column())];
    const Theme& theme = context_.theme.current();
    switch (role) {
    case Qt::DisplayRole:
        return cellText(cellAt(index), column.kind, context_.preferences, clockHz_);
    case Qt::ToolTipRole:
        // Names are often longer than their column; numbers say their exact value.
        if (const auto* number = std::get_if<std::int64_t>(&cellAt(index));
            number != nullptr && column.kind == CellKind::Bytes)
            return QString::fromStdString(formatBytes(*number, ByteUnits::Plain));
        return cellText(cellAt(index), column.kind, context_.preferences, clockHz_);
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter |
                        (isNumber(column.kind) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::FontRole:
        if (rowAt(index.row()).emphasised) {
            QFont font;
            font.setBold(true);
            return font;
        }
        return {};
    case Qt::ForegroundRole:
        if (const auto* change = std::get_if<Change>(&cellAt(index))) {
            const QColor colour = changeColour(*change, column.kind, theme);
            return colour.isValid() ? QVariant(colour) : QVariant();
        }
        if (std::holds_alternative<std::monostate>(cellAt(index)))
            return theme.mutedText;
        return {};
    default:
        return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const DataColumn& column = table_.columns[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
        return columnTitle(column.title, column.kind, context_.preferences, clockHz_);
    case Qt::ToolTipRole:
        return column.toolTip.isEmpty() ? QVariant() : column.toolTip;
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter |
                        (isNumber(column.kind) ? Qt::AlignRight : Qt::AlignLeft));
    default:
        return {};
    }
}

} // namespace tilescope::views
