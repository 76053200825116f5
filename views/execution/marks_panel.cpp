#include "views/execution/marks_panel.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QTreeView>

#include "views/widgets/parts.h"

namespace tilescope::views {

MarksPanel::MarksPanel(MarksModel& model, QWidget* parent)
    : QWidget(parent)
    , model_(model)
    , list_(new QTreeView) {
    list_->setModel(&model_);
    list_->setAccessibleName(tr("Marks"));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    list_->header()->resizeSection(MarksModel::Cycle, 160);
    list_->header()->resizeSection(MarksModel::Time, 120);
    list_->installEventFilter(this);
    auto* hint = new QLabel(tr("M marks the selected step, or the middle of what is visible; [ and "
                               "] go to the mark before and the next one. F2 edits a text, Delete "
                               "removes a mark. Marks are kept beside the profile."));
    hint->setObjectName(QStringLiteral("muted"));
    hint->setWordWrap(true);
    hint->setMargin(6);
    inColumn(this, {hint, list_});
    connect(list_, &QTreeView::activated, this, &MarksPanel::activate);
    connect(list_, &QTreeView::clicked, this, &MarksPanel::activate);
}

void MarksPanel::activate(const QModelIndex& index) {
    if (index.isValid())
        emit goTo(model_.marks()[static_cast<std::size_t>(index.row())].cycle);
}

bool MarksPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete) {
        model_.remove(list_->currentIndex().row());
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace tilescope::views
