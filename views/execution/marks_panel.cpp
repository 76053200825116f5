#include "views/execution/marks_panel.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QTreeView>
#include <algorithm>

#include "views/widgets/parts.h"

namespace tilescope::views {

MarksPanel::MarksPanel(MarksModel& model, QWidget* parent)
    : QWidget(parent)
    , model_(model)
    , list_(new QTreeView)
    , difference_(textLabel({}, "value")) {
    list_->setModel(&model_);
    list_->setAccessibleName(tr("Marks"));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->header()->resizeSection(MarksModel::Cycle, 130);
    list_->header()->resizeSection(MarksModel::Time, 110);
    list_->header()->resizeSection(MarksModel::Length, 200);
    list_->header()->resizeSection(MarksModel::Since, 200);
    difference_->setMargin(6);
    difference_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    difference_->hide();
    list_->installEventFilter(this);
    problem_ = wrappedLabel({}, "error");
    problem_->setContentsMargins(6, 6, 6, 0);
    problem_->hide();
    auto* hint = new QLabel(tr("M marks the selected step or range, or the middle of the visible "
                               "part; [ and ] go to the previous and the next mark. F2 edits a "
                               "text, Delete removes marks; the difference of two selected marks "
                               "(Ctrl + click) is below. Marks are kept beside the profile."));
    hint->setObjectName(QStringLiteral("muted"));
    hint->setWordWrap(true);
    hint->setMargin(6);
    inColumn(this, {problem_, hint, list_, difference_}, list_);
    connect(&model_, &MarksModel::saved, this, [this](const QString& problem) {
        problem_->setText(problem);
        problem_->setVisible(!problem.isEmpty());
    });
    connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &MarksPanel::tellDifference);
    connect(&model_, &MarksModel::marksChanged, this, &MarksPanel::tellDifference);
    connect(list_, &QTreeView::activated, this, &MarksPanel::activate);
    connect(list_, &QTreeView::clicked, this, &MarksPanel::activate);
}

void MarksPanel::activate(const QModelIndex& index) {
    // When several are selected, they are compared without moving the plot.
    if (index.isValid() && selectedRows().size() < 2)
        emit goTo(model_.marks()[static_cast<std::size_t>(index.row())]);
}

void MarksPanel::editText(int row) {
    const QModelIndex text = model_.index(row, MarksModel::Text);
    list_->setCurrentIndex(text);
    list_->setFocus();
    list_->edit(text);
}

std::vector<int> MarksPanel::selectedRows() const {
    std::vector<int> rows;
    for (const QModelIndex& index : list_->selectionModel()->selectedRows())
        rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    return rows;
}

void MarksPanel::removeSelected() {
    const std::vector<int> rows = selectedRows();
    for (auto row = rows.rbegin(); row != rows.rend(); ++row)
        model_.remove(*row);
}

void MarksPanel::tellDifference() {
    const std::vector<int> rows = selectedRows();
    difference_->setVisible(rows.size() > 1);
    if (rows.size() > 1)
        difference_->setText(model_.difference(rows.front(), rows.back()));
}

bool MarksPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete) {
        removeSelected();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace tilescope::views
