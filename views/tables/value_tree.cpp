#include "views/tables/value_tree.h"

#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::string jsonText(const QJsonValue& value) {
    if (!value.isArray())
        return value.toVariant().toString().toStdString();
    QStringList parts;
    for (const QJsonValue item : value.toArray())
        parts.append(QString::fromStdString(jsonText(item)));
    return parts.join(QStringLiteral(" \u00d7 ")).toStdString();
}

ValueNode jsonLine(const QString& name, const QJsonValue& value) {
    ValueNode line = valueLine(name, value.isObject() ? std::string() : jsonText(value));
    const QJsonObject object = value.toObject();
    for (auto at = object.begin(); at != object.end(); ++at)
        line.children.push_back(jsonLine(at.key(), at.value()));
    return line;
}

QVariant colourOf(const ValueNode& node, const Cell& cell, const Theme& theme) {
    const auto* change = std::get_if<Change>(&cell);
    if (!node.better || change == nullptr || change->difference() == 0)
        return foregroundOf(cell, node.unit, theme);
    if (*node.better == MetricBetter::Neither)
        return {};
    const bool more = change->difference() > 0;
    return more == (*node.better == MetricBetter::More) ? theme.good : theme.bad;
}

} // namespace

void addJson(std::vector<ValueNode>& lines, const QString& name, const std::string& json) {
    const QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
    if (!object.isEmpty())
        lines.push_back(jsonLine(name, object));
}

std::vector<ValueNode> sideBySide(const std::vector<ValueNode>& source,
                                  const std::vector<ValueNode>& target, std::size_t columns,
                                  bool differences) {
    std::vector<ValueNode> both;
    const auto add = [&](const ValueNode* a, const ValueNode* b) {
        static const std::vector<ValueNode> none;
        const ValueNode& either = a != nullptr ? *a : *b;
        ValueNode& node = both.emplace_back(ValueNode{either.name, {}, {}, either.unit});
        for (std::size_t column = 0; column < columns; ++column) {
            const auto of = [column](const ValueNode* n) {
                return n != nullptr && column < n->values.size() ? n->values[column] : Cell();
            };
            node.values.insert(node.values.end(), {of(a), of(b)});
            if (differences)
                node.values.emplace_back(
                    Change{numberOf(of(a)).value_or(0), numberOf(of(b)).value_or(0)});
        }
        node.children = sideBySide(a != nullptr ? a->children : none,
                                   b != nullptr ? b->children : none, columns, differences);
    };
    std::vector<bool> taken(target.size(), false);
    for (const ValueNode& node : source) {
        std::size_t at = 0;
        while (at < target.size() && (taken[at] || target[at].name != node.name))
            ++at;
        if (at < target.size())
            taken[at] = true;
        add(&node, at < target.size() ? &target[at] : nullptr);
    }
    for (std::size_t at = 0; at < target.size(); ++at)
        if (!taken[at])
            add(nullptr, &target[at]);
    return both;
}

QStringList valueTitles(bool comparing) {
    return comparing ? QStringList{Text::tr("Source"), Text::tr("Target")}
                     : QStringList{Text::tr("Value")};
}

ValueTreeView::ValueTreeView(ViewContext& context, const QString& name, QWidget* parent)
    : QTreeView(parent)
    , values_(new ValueTreeModel(context, this)) {
    setModel(values_);
    setFrameShape(QFrame::NoFrame);
    setUniformRowHeights(true);
    setAccessibleName(name);
}

void ValueTreeView::fitColumns() {
    constexpr int padding = 10; // between a value and the next column
    fitted_ = true;
    header()->setStretchLastSection(false);
    for (int column = 1; column < header()->count(); ++column) {
        resizeColumnToContents(column);
        header()->resizeSection(column, header()->sectionSize(column) + padding);
    }
    giveRest();
}

void ValueTreeView::giveRest() {
    constexpr int leastWidth = 200;
    int others = 0;
    for (int column = 1; column < header()->count(); ++column)
        others += header()->sectionSize(column);
    // Values far from their names are hard to follow.
    constexpr int usuallyEnough = 640;
    const int names = std::max(usuallyEnough, sizeHintForColumn(0));
    header()->resizeSection(0, std::max(leastWidth, std::min(names, viewport()->width() - others)));
}

void ValueTreeView::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    if (fitted_ && header()->count() > 0)
        giveRest();
}

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
        return role == Qt::DisplayRole ? QVariant(shownText(node.name))
               : role == wholeTextRole ? QVariant(node.name)
                                       : QVariant();
    const auto at = static_cast<std::size_t>(index.column()) - 1;
    const Cell cell = at < node.values.size() ? node.values[at] : Cell();
    switch (role) {
    case Qt::DisplayRole:
        return cellText(cell, node.unit, context_.preferences, context_.reports.clockHz());
    case rawTextRole:
        return QString::fromStdString(rawText(cell));
    case wholeTextRole:
        return std::holds_alternative<std::string>(cell)
                   ? QVariant(QString::fromStdString(std::get<std::string>(cell)))
                   : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant((tree_.properties ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return colourOf(node, cell, context_.theme.current());
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
