#include "app/gui/file_dialog_columns.h"

#include <QEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QTreeView>

namespace tilescope::gui {
namespace {

constexpr QSize usual(900, 560); // pixels; Qt's own size shows half of a name

void fitColumns(QFileDialog& dialog) {
    // There is none where the desktop's dialog is used.
    auto* files = dialog.findChild<QTreeView*>(QStringLiteral("treeView"));
    if (files == nullptr)
        return;
    dialog.resize(dialog.size().expandedTo(usual));
    QHeaderView* header = files->header();
    header->setStretchLastSection(false);
    for (int column = 0; column < header->count(); ++column)
        header->setSectionResizeMode(column, column == 0 ? QHeaderView::Stretch
                                                         : QHeaderView::ResizeToContents);
}

} // namespace

bool FileDialogColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show)
        if (auto* dialog = qobject_cast<QFileDialog*>(watched))
            fitColumns(*dialog);
    return QObject::eventFilter(watched, event);
}

} // namespace tilescope::gui
