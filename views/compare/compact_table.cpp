#include "views/compare/compact_table.h"

#include <QEvent>
#include <QHeaderView>
#include <algorithm>

#include "views/widgets/parts.h"

namespace tilescope::views {

CompactTable::CompactTable(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , model_(new TableModel(context, this))
    , view_(new QTableView)
    , title_(textLabel({}, "heading"))
    , heading_(new QHBoxLayout) {
    view_->setModel(model_);
    setUpTable(*view_);
    view_->setSortingEnabled(false);
    view_->setTabKeyNavigation(false);
    view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view_->verticalHeader()->setMinimumSectionSize(1);
    view_->verticalHeader()->setDefaultSectionSize(view_->fontMetrics().height() + 8);
    view_->horizontalHeader()->setMinimumSectionSize(1);
    view_->viewport()->installEventFilter(this);
    title_->setContentsMargins(8, 4, 8, 0);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    heading_->setContentsMargins(0, 0, 8, 0);
    heading_->setSpacing(4);
    heading_->addWidget(title_, 1);
    layout->addLayout(heading_);
    layout->addWidget(view_, 1);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                if (!selecting_ && index.isValid())
                    emit chosen(model_->idAt(index.row()));
            });
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &CompactTable::rowChanged);
    connect(view_, &QTableView::activated, this,
            [this](const QModelIndex& index) { emit activated(model_->idAt(index.row())); });
}

QToolButton* CompactTable::addButton(const QString& text) {
    auto* button = new QToolButton;
    button->setText(text);
    heading_->addWidget(button);
    return button;
}

int CompactTable::selectedRow() const {
    const QModelIndexList rows = view_->selectionModel()->selectedRows();
    return rows.isEmpty() ? -1 : rows.front().row();
}

void CompactTable::setTable(const QString& title, Table table) {
    title_->setText(title);
    view_->setAccessibleName(title);
    model_->setTable(std::move(table));
    fitColumns();
    emit rowChanged(); // a table begins without a selection
}

void CompactTable::selectId(std::int32_t id) {
    // An operation may have several rows: the one that the user has chosen stays.
    if (const int now = selectedRow(); now >= 0 && model_->idAt(now) == id)
        return;
    selecting_ = true;
    const int row = id < 0 ? -1 : model_->rowOf(id);
    if (row < 0)
        view_->clearSelection();
    else
        view_->setCurrentIndex(model_->index(row, 0));
    selecting_ = false;
}

int CompactTable::widthOf(int column) const {
    constexpr int aroundText = 22; // pixels
    const QFontMetrics metrics = view_->fontMetrics();
    int width = metrics.horizontalAdvance(
        model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    for (int row = 0; row < model_->rowCount(); ++row)
        width = std::max(width,
                         metrics.horizontalAdvance(
                             model_->data(model_->index(row, column), Qt::DisplayRole).toString()));
    return width + aroundText;
}

// Numbers take what they need, the first column the rest.
void CompactTable::fitColumns() {
    QHeaderView* header = view_->horizontalHeader();
    const int last = model_->columnCount() - 1;
    header->setSectionHidden(std::max(0, last), false);
    int others = 0;
    for (int column = 1; column < model_->columnCount(); ++column) {
        const int width = widthOf(column);
        header->resizeSection(column, width);
        others += width;
    }
    constexpr int mostForName = 160; // of what others leave; short names need less
    constexpr int narrowestText = 80;
    const int narrowestName = std::min(mostForName, widthOf(0));
    // If that is too much, a text column is narrowed in favour of the numbers.
    int over = others + narrowestName - view_->viewport()->width();
    // Shares say less than names: they give way first.
    if (over > 0 && last > 2) {
        others -= header->sectionSize(last);
        over -= header->sectionSize(last);
        header->setSectionHidden(last, true);
    }
    const bool isText =
        model_->rowCount() > 0 && model_->columnCount() > 1 &&
        !(model_->data(model_->index(0, 1), Qt::TextAlignmentRole).toInt() & Qt::AlignRight);
    if (over > 0 && isText) {
        const int width = std::max(narrowestText, header->sectionSize(1) - over);
        others += width - header->sectionSize(1);
        header->resizeSection(1, width);
    }
    if (header->count() > 0)
        header->resizeSection(0, std::max(narrowestName, view_->viewport()->width() - others));
}

bool CompactTable::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_->viewport() && event->type() == QEvent::Resize)
        fitColumns();
    return QWidget::eventFilter(watched, event);
}

} // namespace tilescope::views
