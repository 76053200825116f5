#include "views/programs/program_model.h"

#include "core/analysis/programs.h"
#include "core/base/error.h"

namespace tilescope::views {

ProgramTreeData readProgramTree(const OpenProfile& profile, const std::stop_token& stop) {
    ProgramTreeData tree;
    tree.programs = profile.programs(stop);
    tree.operations = profile.operations(stop);
    const auto computeSets = profile.computeSets(stop);
    const auto exchanges = profile.exchanges(stop);
    const ProfileReader reader = profile.reader(stop);
    tree.roots = reader.controlPrograms();
    tree.controlPrograms = tree.roots.size();
    const std::vector<ProgramId> functions = reader.functions();
    tree.roots.insert(tree.roots.end(), functions.begin(), functions.end());

    const auto& programs = *tree.programs;
    tree.rowOf.assign(programs.size(), -1);
    const auto place = [&](ProgramId program, ProgramId parent, std::size_t row) {
        if (program.index() >= programs.size() || programs[program].parent != parent ||
            tree.rowOf[program.index()] >= 0)
            throw UserError("damaged profile: the program tree is no tree");
        tree.rowOf[program.index()] = static_cast<int>(row);
    };
    for (std::size_t i = 0; i < tree.roots.size(); ++i)
        place(tree.roots[i], ProgramId(), i);
    for (std::size_t p = 0; p < programs.size(); ++p) {
        const Program& program = programs[ProgramId(p)];
        for (std::size_t i = 0; i < program.children.size(); ++i)
            place(program.children[i], ProgramId(p), i);
        tree.cycles.push_back(programCycles(program, *computeSets, *exchanges));
        tree.labels.push_back(programLabel(program));
    }
    return tree;
}

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

void ProgramModel::setMarked(OperationId operation, const QString& text) {
    if (operation == markedOperation_ && text == markedText_)
        return;
    markedOperation_ = operation;
    markedText_ = text;
    emit coloursChanged();
}

ProgramId ProgramModel::programAt(const QModelIndex& index) const {
    return index.isValid() ? ProgramId(static_cast<std::int32_t>(index.internalId())) : ProgramId();
}

QModelIndex ProgramModel::indexOf(ProgramId program) const {
    if (!program.valid() || program.index() >= tree_.rowOf.size() ||
        tree_.rowOf[program.index()] < 0)
        return {};
    return createIndex(tree_.rowOf[program.index()], 0, static_cast<quintptr>(program.value()));
}

ProgramId ProgramModel::find(const QString& text, ProgramId from, bool forward) const {
    const auto size = static_cast<int>(tree_.labels.size());
    const int start = from.valid() ? from.value() : (forward ? -1 : size);
    for (int i = 1; i <= size; ++i) {
        const int at = ((forward ? start + i : start - i) % size + size) % size;
        if (QString::fromStdString(tree_.labels[static_cast<std::size_t>(at)])
                .contains(text, Qt::CaseInsensitive))
            return ProgramId(at);
    }
    return {};
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

bool ProgramModel::matches(ProgramId program) const {
    if (!markedText_.isEmpty())
        return QString::fromStdString(tree_.labels[program.index()])
            .contains(markedText_, Qt::CaseInsensitive);
    return markedOperation_.valid() && (*tree_.programs)[program].operation == markedOperation_;
}

QString ProgramModel::rootTitle(ProgramId program) const {
    const int row = tree_.rowOf[program.index()];
    const auto controlPrograms = static_cast<int>(tree_.controlPrograms);
    const QString name = QString::fromStdString((*tree_.programs)[program].name);
    const QString title = row < controlPrograms ? tr("Control program %1").arg(row)
                                                : tr("Function %1").arg(row - controlPrograms);
    return name.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, name);
}

QVariant ProgramModel::display(ProgramId id, int column) const {
    const Program& program = (*tree_.programs)[id];
    switch (column) {
    case Label:
        return program.parent.valid() ? QString::fromStdString(tree_.labels[id.index()])
                                      : rootTitle(id);
    case OperationColumn:
        return program.operation.valid()
                   ? QString::fromStdString((*tree_.operations)[program.operation].name)
                   : QString();
    default: {
        const std::int64_t cycles = tree_.cycles[id.index()];
        return cycles == 0 ? QString() : QString::fromStdString(withThousands(cycles));
    }
    }
}

QVariant ProgramModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const ProgramId id = programAt(index);
    const Theme& theme = context_.theme.current();
    switch (role) {
    case Qt::DisplayRole:
        return display(id, index.column());
    case Qt::ToolTipRole:
        return display(id, index.column());
    case Qt::DecorationRole:
        return index.column() == Label ? QVariant(theme.kind((*tree_.programs)[id].kind))
                                       : QVariant();
    case Qt::BackgroundRole:
        return matches(id) ? QVariant(mixed(theme.kind(ProgramKind::Sync), theme.surface,
                                            theme.dark ? 0.75 : 0.6))
                           : QVariant();
    case Qt::ForegroundRole:
        return index.column() == OperationColumn ? QVariant(theme.mutedText) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter |
                        (index.column() == Cycles ? Qt::AlignRight : Qt::AlignLeft));
    default:
        return {};
    }
}

QVariant ProgramModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter | (section == Cycles ? Qt::AlignRight : Qt::AlignLeft));
    if (role == Qt::ToolTipRole && section == Cycles)
        return tr("Slowest tile, one execution, estimated");
    if (role != Qt::DisplayRole)
        return {};
    static const char* const titles[] = {QT_TR_NOOP("Program"), QT_TR_NOOP("Operation"),
                                         QT_TR_NOOP("Cycles")};
    return tr(titles[section]);
}

} // namespace tilescope::views
