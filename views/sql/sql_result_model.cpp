#include "views/sql/sql_result_model.h"

#include <algorithm>

namespace tilescope::views {
namespace {

// The order of SQLite: NULL, numbers, texts, blobs.
int rankOf(const SqlValue& value) {
    if (std::holds_alternative<std::monostate>(value))
        return 0;
    if (std::holds_alternative<std::string>(value))
        return 2;
    return std::holds_alternative<BlobSize>(value) ? 3 : 1;
}

double numberOf(const SqlValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*whole);
    return std::get<double>(value);
}

bool valueLess(const SqlValue& a, const SqlValue& b) {
    const int rank = rankOf(a);
    if (rank != rankOf(b))
        return rank < rankOf(b);
    switch (rank) {
    case 1:
        return numberOf(a) < numberOf(b);
    case 2:
        return std::get<std::string>(a) < std::get<std::string>(b);
    case 3:
        return std::get<BlobSize>(a).bytes < std::get<BlobSize>(b).bytes;
    default:
        return false;
    }
}

QString textOf(const SqlValue& value) {
    return std::holds_alternative<std::monostate>(value) ? QStringLiteral("NULL")
                                                         : QString::fromStdString(plainText(value));
}

} // namespace

SqlResultModel::SqlResultModel(const ThemeSource& theme, QObject* parent)
    : QAbstractTableModel(parent)
    , theme_(theme) {}

void SqlResultModel::setResult(SqlResult result) {
    beginResetModel();
    result_ = std::move(result);
    endResetModel();
}

int SqlResultModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(result_.rows.size());
}

int SqlResultModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(result_.columns.size());
}

QVariant SqlResultModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const SqlValue& value =
        result_
            .rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return textOf(value);
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter | (rankOf(value) == 1 ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ForegroundRole:
        return rankOf(value) % 3 == 0 ? QVariant(theme_.current().mutedText) : QVariant();
    default:
        return {};
    }
}

QVariant SqlResultModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (section < 0)
        return {};
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole && section < rowCount() ? QVariant(section + 1) : QVariant();
    if (section >= columnCount())
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromStdString(result_.columns[static_cast<std::size_t>(section)]);
    case Qt::TextAlignmentRole:
        // As the values of the first row are aligned.
        return rowCount() > 0 ? data(index(0, section), Qt::TextAlignmentRole) : QVariant();
    default:
        return {};
    }
}

void SqlResultModel::sort(int column, Qt::SortOrder order) {
    if (column < 0 || column >= columnCount())
        return;
    beginResetModel();
    const auto at = static_cast<std::size_t>(column);
    std::stable_sort(result_.rows.begin(), result_.rows.end(), [&](const auto& a, const auto& b) {
        return order == Qt::AscendingOrder ? valueLess(a[at], b[at]) : valueLess(b[at], a[at]);
    });
    endResetModel();
}

} // namespace tilescope::views
