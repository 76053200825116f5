#include "views/programs/program_list.h"

#include <QSignalBlocker>

#include "views/tables/cell_text.h"
#include "views/theme/text.h"

namespace tilescope::views {

ProgramList::ProgramList(QWidget* parent)
    : QListWidget(parent) {
    setAccessibleName(tr("Control programs and functions"));
    setFrameShape(QFrame::NoFrame);
    setUniformItemSizes(true);
    setTextElideMode(Qt::ElideMiddle);
    setSpacing(2);
    connect(this, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
        if (item != nullptr && item->data(Qt::UserRole).isValid())
            emit rootChosen(ProgramId(item->data(Qt::UserRole).toInt()));
    });
}

void ProgramList::addHeading(const QString& text) {
    auto* item = new QListWidgetItem(text, this);
    item->setFlags(Qt::NoItemFlags);
}

void ProgramList::setTree(const ProgramTreeData& tree) {
    const QSignalBlocker blocker(this);
    clear();
    addHeading(tr("Control programs"));
    for (std::size_t i = 0; i < tree.roots.size(); ++i) {
        if (i == tree.controlPrograms)
            addHeading(tr("Functions"));
        const bool function = i >= tree.controlPrograms;
        const QString name = QString::fromStdString((*tree.programs)[tree.roots[i]].name);
        const QString text =
            QStringLiteral("%1  %2").arg(function ? i - tree.controlPrograms : i).arg(name);
        auto* item = new QListWidgetItem(shownText(text), this);
        item->setData(Qt::UserRole, tree.roots[i].value());
        item->setData(wholeTextRole, text);
        item->setToolTip(shownText(name));
    }
}

void ProgramList::showRootOf(ProgramId program, const ProgramTreeData& tree) {
    if (!program.valid() || !tree.programs)
        return;
    ProgramId root = program;
    while ((*tree.programs)[root].parent.valid())
        root = (*tree.programs)[root].parent;
    const QSignalBlocker blocker(this);
    for (int row = 0; row < count(); ++row)
        if (const QVariant id = item(row)->data(Qt::UserRole);
            id.isValid() && id.toInt() == root.value())
            setCurrentRow(row);
}

} // namespace tilescope::views
