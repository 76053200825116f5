#include "views/programs/program_model.h"

#include <algorithm>
#include <array>

#include "views/session/time_texts.h"
#include "views/tables/cell_text.h"
#include "views/theme/text.h"

namespace tilescope::views {

ProgramModel::ProgramModel(ViewContext& context, QObject* parent)
    : QAbstractItemModel(parent)
    , context_(context) {
    connect(&context_.theme, &ThemeSource::changed, this, &ProgramModel::coloursChanged);
}

void ProgramModel::setTree(ProgramTreeData tree) {
    beginResetModel();
    tree_ = std::move(tree);
    endResetModel();
}

void ProgramModel::setMarked(OperationId operation, const TextMatcher& wanted) {
    if (operation == markedOperation_ && wanted == marked_)
        return;
    markedOperation_ = operation;
    marked_ = wanted;
    emit coloursChanged();
}

ProgramId ProgramModel::programAt(const QModelIndex& index) const {
    return index.isValid() ? ProgramId(static_cast<std::int32_t>(index.internalId())) : ProgramId();
}

QModelIndex ProgramModel::indexOf(ProgramId program) const {
    if (!program.valid() || program.index() >= tree_.rowOf.size() ||
        tree_.placeOf[program.index()] < 0)
        return {};
    return createIndex(tree_.rowOf[program.index()], 0, static_cast<quintptr>(program.value()));
}

template <class Wanted>
ProgramId ProgramModel::search(ProgramId from, bool forward, Wanted wanted) const {
    const auto size = static_cast<int>(tree_.order.size());
    const int start = from.valid() ? tree_.placeOf[from.index()] : (forward ? -1 : size);
    for (int i = 1; i <= size; ++i) {
        const int at = ((forward ? start + i : start - i) % size + size) % size;
        const ProgramId program = tree_.order[static_cast<std::size_t>(at)];
        if (wanted(program))
            return program;
    }
    return {};
}

ProgramId ProgramModel::find(const TextMatcher& wanted, ProgramId from, bool forward) const {
    return search(from, forward, [&](ProgramId program) { return matches(wanted, program); });
}

ProgramModel::Matches ProgramModel::countMatches(const TextMatcher& wanted,
                                                 ProgramId current) const {
    Matches matches;
    if (wanted.empty())
        return matches;
    for (const ProgramId program : tree_.order) {
        if (!this->matches(wanted, program))
            continue;
        ++matches.total;
        if (program == current)
            matches.current = matches.total;
    }
    return matches;
}

ProgramChange ProgramModel::changeOf(ProgramId program) const {
    return tree_.matches.empty() ? ProgramChange::Same : tree_.matches[program.index()].change;
}

bool ProgramModel::differsItself(ProgramId program) const {
    if (changeOf(program) != ProgramChange::Changed)
        return changeOf(program) == ProgramChange::Only;
    const std::vector<ProgramId>& children = (*tree_.programs)[program].children;
    return std::all_of(children.begin(), children.end(),
                       [&](ProgramId child) { return changeOf(child) == ProgramChange::Same; });
}

ProgramId ProgramModel::findDifference(ProgramId from, bool forward) const {
    return search(from, forward, [&](ProgramId program) { return differsItself(program); });
}

ProgramId ProgramModel::counterpart(ProgramId program) const {
    return program.valid() && program.index() < tree_.matches.size()
               ? tree_.matches[program.index()].other
               : ProgramId();
}

const std::vector<ProgramId>& ProgramModel::childrenOf(const QModelIndex& parent) const {
    return parent.isValid() ? (*tree_.programs)[programAt(parent)].children : tree_.roots;
}

QModelIndex ProgramModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    const ProgramId program = childrenOf(parent)[static_cast<std::size_t>(row)];
    return createIndex(row, column, static_cast<quintptr>(program.value()));
}

QModelIndex ProgramModel::parent(const QModelIndex& child) const {
    return child.isValid() ? indexOf((*tree_.programs)[programAt(child)].parent) : QModelIndex();
}

int ProgramModel::rowCount(const QModelIndex& parent) const {
    if (parent.column() > 0 || !tree_.programs)
        return 0;
    return static_cast<int>(childrenOf(parent).size());
}

bool ProgramModel::isMarked(ProgramId program) const {
    if (!marked_.empty())
        return matches(marked_, program);
    return markedOperation_.valid() && (*tree_.programs)[program].operation == markedOperation_;
}

bool ProgramModel::matches(const TextMatcher& wanted, ProgramId program) const {
    if (wanted.matches(title(program)))
        return true;
    const OperationId id = (*tree_.programs)[program].operation;
    if (!id.valid() || id.index() >= tree_.operations->size())
        return false;
    const Operation& operation = (*tree_.operations)[id];
    // ONNX and PopART have short names for what people look for as "convolution".
    const bool isConv = operation.type.starts_with("Conv");
    const auto isIn = [&](const std::string& text) {
        return !text.empty() && wanted.matches(QString::fromStdString(text));
    };
    return isIn(operation.type) || (isConv && isIn("convolution")) || isIn(operation.plan) ||
           isIn(operation.options);
}

QString ProgramModel::title(ProgramId program) const {
    if ((*tree_.programs)[program].parent.valid())
        return QString::fromStdString(tree_.labels[program.index()]);
    const int row = tree_.rowOf[program.index()];
    const auto controlPrograms = static_cast<int>(tree_.controlPrograms);
    const QString name = QString::fromStdString((*tree_.programs)[program].name);
    const QString title = row < controlPrograms ? tr("Control program %1").arg(row)
                                                : tr("Function %1").arg(row - controlPrograms);
    return name.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, name);
}

std::int64_t ProgramModel::rootTotal(ProgramId program) const {
    ProgramId at = program;
    while ((*tree_.programs)[at].parent.valid())
        at = (*tree_.programs)[at].parent;
    return tree_.costs[at.index()].total;
}

QString ProgramModel::shareText(ProgramId program) const {
    const std::int64_t total = tree_.costs[program.index()].total;
    const std::int64_t all = rootTotal(program);
    if (total == 0 || all == 0)
        return {};
    return tr("%1 %").arg(100.0 * static_cast<double>(total) / static_cast<double>(all), 0, 'f', 1);
}

std::int64_t ProgramModel::differenceOf(ProgramId program) const {
    const std::int64_t change =
        tree_.costs[program.index()].cycles - tree_.otherCycles[program.index()];
    return tree_.ofTarget ? change : -change;
}

QString ProgramModel::differenceText(ProgramId program) const {
    switch (changeOf(program)) {
    case ProgramChange::Only:
        return tr("only here");
    case ProgramChange::Same:
        return {};
    case ProgramChange::Changed:
        break;
    }
    const std::int64_t change = differenceOf(program);
    if (change == 0)
        return tr("changed");
    return (change > 0 ? QStringLiteral("+") : QString()) + countText(change);
}

QString ProgramModel::display(ProgramId id, int column) const {
    const Program& program = (*tree_.programs)[id];
    const ProgramCost& cost = tree_.costs[id.index()];
    const auto count = [](std::int64_t value) { return value == 0 ? QString() : countText(value); };
    switch (column) {
    case Label:
        return title(id);
    case OperationColumn:
        return program.operation.valid()
                   ? QString::fromStdString((*tree_.operations)[program.operation].name)
                   : QString();
    case Cycles:
        return count(cost.cycles);
    case Executions:
        return count(cost.executions);
    case Share:
        return shareText(id);
    default:
        return differenceText(id);
    }
}

QVariant ProgramModel::background(ProgramId program) const {
    const Theme& theme = context_.theme.current();
    if (isMarked(program))
        return mixed(theme.kind(ProgramKind::Sync), theme.surface, theme.dark ? 0.75 : 0.6);
    if (differsItself(program))
        return mixed(theme.accent, theme.surface, theme.dark ? 0.75 : 0.85);
    return {};
}

QVariant ProgramModel::foreground(ProgramId program, int column) const {
    const Theme& theme = context_.theme.current();
    if (column == OperationColumn)
        return theme.mutedText;
    if (column != Difference || changeOf(program) == ProgramChange::Same)
        return {};
    const std::int64_t change = differenceOf(program);
    return changeOf(program) == ProgramChange::Only || change == 0 ? theme.warning
           : change > 0                                            ? theme.bad
                                                                   : theme.good;
}

QVariant ProgramModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const ProgramId id = programAt(index);
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return shownText(display(id, index.column()));
    case wholeTextRole:
        return display(id, index.column());
    case rawTextRole: {
        // The numbers of numeric columns, without separators.
        const ProgramCost& cost = tree_.costs[id.index()];
        const int column = index.column();
        const std::int64_t number = column == Cycles ? cost.cycles : cost.executions;
        return number == 0 || (column != Cycles && column != Executions)
                   ? QVariant()
                   : QVariant(QString::number(number));
    }
    case Qt::DecorationRole:
        return index.column() == Label
                   ? QVariant(context_.theme.current().kind((*tree_.programs)[id].kind))
                   : QVariant();
    case Qt::BackgroundRole:
        return background(id);
    case Qt::ForegroundRole:
        return foreground(id, index.column());
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter |
                        (index.column() >= Cycles ? Qt::AlignRight : Qt::AlignLeft));
    default:
        return {};
    }
}

QVariant ProgramModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static constexpr auto titles = std::to_array<const char*>(
        {QT_TR_NOOP("Program"), QT_TR_NOOP("Operation"), QT_TR_NOOP("Cycles"),
         QT_TR_NOOP("Executions"), QT_TR_NOOP("Share"), QT_TR_NOOP("Difference")});
    static constexpr auto toolTips = std::to_array<const char*>(
        {"", QT_TR_NOOP("Operation of the model that the program is for"),
         QT_TR_NOOP("One execution with everything below it, on the IPU that takes longest; an "
                    "estimate where nothing was executed, or only in one of "
                    "two profiles"),
         QT_TR_NOOP("How often it is executed in all runs"),
         QT_TR_NOOP("Share of all cycles of its control program or function, over all executions"),
         QT_TR_NOOP("Cycles of one execution compared with the other profile")});
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter | (section >= Cycles ? Qt::AlignRight : Qt::AlignLeft));
    if (role == Qt::ToolTipRole && *toolTips[section] != 0)
        return tr(toolTips[section]);
    if (role != Qt::DisplayRole)
        return {};
    return section == Cycles && tree_.estimated ? tr("Estimated") : tr(titles[section]);
}

} // namespace tilescope::views
