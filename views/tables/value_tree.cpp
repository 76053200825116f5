#include "views/tables/value_tree.h"

namespace tilescope::views {

ValueTreeModel::ValueTreeModel(ViewContext& context, QObject* parent)
    : QAbstractItemModel(parent)
    , context_(context) {
    const auto repaint = [this] {
        emit layoutAboutToBeChanged();
        emit layoutChanged();
    };
    connect(&context_.preferences, &Preferences::unitsChanged, this, repaint);
    connect(&context_.theme, &ThemeSource::changed, this, repaint);
}

void ValueTreeModel::setTree(ValueTree tree) {
    beginResetModel();
    tree_ = std::move(tree);
    places_.clear();
    roots_.clear();
    for (std::size_t i = 0; i < tree_.roots.size(); ++i)
        roots_.push_back(add(tree_.roots[i], -1, static_cast<int>(i)));
    endResetModel();
}

int ValueTreeModel::add(const ValueNode& node, int parent, int row) {
    const int place = static_cast<int>(places_.size());
    places_.push_back({&node, parent, row, {}});
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        const int child = add(node.children[i], place, static_cast<int>(i));
        places_[static_cast<std::size_t>(place)].children.push_back(child);
    }
    return place;
}

const std::vector<int>& ValueTreeModel::childrenOf(const QModelIndex& parent) const {
    return parent.isValid() ? places_[parent.internalId()].children : roots_;
}

QModelIndex ValueTreeModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column,
                       static_cast<quintptr>(childrenOf(parent)[static_cast<std::size_t>(row)]));
}

QModelIndex ValueTreeModel::parent(const QModelIndex& child) const {
    if (!child.isValid())
        return {};
    const int parent = places_[child.internalId()].parent;
    if (parent < 0)
        return {};
    return createIndex(places_[static_cast<std::size_t>(parent)].row, 0,
                       static_cast<quintptr>(parent));
}

int ValueTreeModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : static_cast<int>(childrenOf(parent).size());
}

int ValueTreeModel::columnCount(const QModelIndex&) const {
    return 1 + static_cast<int>(tree_.valueTitles.size());
}

QVariant ValueTreeModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const ValueNode& node = *places_[index.internalId()].node;
    if (index.column() == 0)
        return role == Qt::DisplayRole ? QVariant(node.name) : QVariant();
    const auto at = static_cast<std::size_t>(index.column()) - 1;
    const Cell cell = at < node.values.size() ? node.values[at] : Cell();
    const auto* change = std::get_if<Change>(&cell);
    switch (role) {
    case Qt::DisplayRole:
        return cellText(cell, node.unit, context_.preferences, context_.reports.clockHz());
    case Qt::TextAlignmentRole:
        return QVariant((tree_.properties ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (change != nullptr) {
            const QColor colour = changeColour(*change, node.unit, context_.theme.current());
            return colour.isValid() ? QVariant(colour) : QVariant();
        }
        return std::holds_alternative<std::monostate>(cell)
                   ? QVariant(context_.theme.current().mutedText)
                   : QVariant();
    default:
        return {};
    }
}

QVariant ValueTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == 0 || tree_.properties ? Qt::AlignLeft : Qt::AlignRight) |
                        Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    return section == 0 ? tree_.nameTitle : tree_.valueTitles.value(section - 1);
}

} // namespace tilescope::views
