#include "views/tables/table_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTableView>
#include <algorithm>

#include "views/session/time_texts.h"
#include "views/tables/cell_bars.h"
#include "views/tables/item_export.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"
#include "views/widgets/short_label.h"

namespace tilescope::views {
namespace {

constexpr int aboveFilter = 6;
constexpr int lineSpace = aboveFilter + 4; ///< around the line of the filter
constexpr int widestColumn = 260;
constexpr int leastSummary = 60;
constexpr int namesOfTable = 40; ///< per cent of the width, if the table scrolls

// Wide enough for the title and for the values of the first rows, which are the largest.
int widthOf(const TableModel& model, int column, const QFontMetrics& metrics, int widest) {
    constexpr int looked = 200;
    int width = metrics.horizontalAdvance(
                    model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) +
                14;
    for (int row = 0; row < std::min(model.rowCount(), looked); ++row)
        width =
            std::max(width, metrics.horizontalAdvance(
                                model.data(model.index(row, column), Qt::DisplayRole).toString()));
    return std::min(width + 24, widest);
}

bool isNumber(const QModelIndex& index) {
    return (index.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight) != 0;
}

bool haveSameTitles(const Table& a, const Table& b) {
    return std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                      [](const Column& x, const Column& y) { return x.title == y.title; });
}

} // namespace

void setUpTable(QTableView& view) {
    view.setShowGrid(false);
    view.setSortingEnabled(true);
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.setSelectionMode(QAbstractItemView::SingleSelection);
    view.setWordWrap(false);
    view.setTextElideMode(Qt::ElideMiddle);
    view.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.setFrameShape(QFrame::NoFrame);
    view.setCornerButtonEnabled(false);
    view.verticalHeader()->hide();
    view.verticalHeader()->setDefaultSectionSize(view.fontMetrics().height() + 9);
    view.horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
    view.horizontalHeader()->setHighlightSections(false);
    view.horizontalHeader()->setMinimumSectionSize(60);
}

TablePanel::TablePanel(ViewContext& context, const QString& filterHint, About about)
    : context_(context)
    , model_(new TableModel(context, this))
    , view_(new QTableView)
    , filter_(new QLineEdit)
    , summary_(new ShortLabel({}, leastSummary, QWIDGETSIZE_MAX))
    , line_(new QHBoxLayout)
    , nothing_(textLabel({}, "muted"))
    , loading_(new LoadingPanel(context.workers, about)) {
    setUpTable(*view_);
    view_->setItemDelegate(new CellBars(context.theme, view_));
    view_->viewport()->installEventFilter(this);
    view_->setModel(model_);
    filter_->setPlaceholderText(filterHint);
    filter_->setClearButtonEnabled(true);
    filter_->setMaximumWidth(320);
    // A long summary gives way to the filter's text.
    filter_->setMinimumWidth(160);
    summary_->setObjectName(QStringLiteral("muted"));
    nothing_->setParent(view_->viewport());
    nothing_->setAlignment(Qt::AlignCenter);
    nothing_->setAttribute(Qt::WA_TransparentForMouseEvents);
    nothing_->hide();

    QWidget* content = tabPage();
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, aboveFilter, 0, 0);
    layout->setSpacing(lineSpace - aboveFilter);
    line_->setContentsMargins(8, 0, 12, 0);
    line_->addWidget(filter_, 1);
    line_->addStretch(1);
    line_->addWidget(summary_);
    layout->addLayout(line_);
    layout->addWidget(view_, 1);
    loading_->setContent(content);
    inColumn(this, {loading_});

    setPointAt(*view_, [this](const std::optional<QPoint>& position, const ShowMenu& show) {
        show(pointed(position ? view_->indexAt(*position) : view_->currentIndex()));
    });
    // Ids of another profile mean other things.
    connect(&context_.workers, &Workers::profilesLeft, this, [this] { wanted_ = -1; });
    connect(filter_, &QLineEdit::textChanged, model_, &TableModel::setFilter);
    connect(model_, &QAbstractItemModel::modelReset, this, &TablePanel::updateSummary);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                // With several rows the selection counts, which changes after the current row.
                if (selecting_ || several_ || !index.isValid())
                    return;
                wanted_ = model_->idAt(index.row());
                emit chosen(wanted_);
            });
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (selecting_ || !several_)
            return;
        const std::vector<std::int32_t> ids = chosenIds();
        if (!ids.empty()) {
            wanted_ = ids.back();
            emit chosen(wanted_);
        }
        emit selectedIds(ids);
    });
    connect(view_, &QTableView::activated, this,
            [this](const QModelIndex& index) { emit activated(model_->idAt(index.row())); });
}

Pointed TablePanel::pointed(const QModelIndex& index) {
    Pointed pointed;
    if (!index.isValid())
        return pointed;
    if (const std::int32_t id = model_->idAt(index.row()); things_ && id >= 0)
        pointed.thing = things_(id);
    pointed.name = cellText(index.siblingAtColumn(0));
    const QModelIndex text = isNumber(index) ? index.siblingAtColumn(0) : index;
    pointed.filterText = isNumber(text) || !model_->hasText(text) ? QString() : cellText(text);
    if (!pointed.filterText.isEmpty())
        pointed.filter = [this, text = pointed.filterText] { filterBy(text); };
    return pointed;
}

void TablePanel::load(MakeTable make) {
    loading_->load([this, make = std::move(make)](const std::stop_token& stop) {
        return [this, table = make(stop)]() mutable { setTable(std::move(table)); };
    });
}

void TablePanel::setTable(Table table) {
    // With other columns the sort arrow would be wrong.
    if (!haveSameTitles(table, model_->table()))
        view_->horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
    model_->setTable(std::move(table));
    layOutColumns();
    loading_->showContent();
    if (wanted_ >= 0)
        selectId(wanted_);
    emit neededHeightChanged();
}

int TablePanel::neededHeight() const {
    constexpr int fewestRows = 3; // also of a hint
    const int rows = std::max(fewestRows, model_->rowCount());
    const QMargins around = layout()->contentsMargins();
    return around.top() + around.bottom() + filter_->sizeHint().height() + lineSpace +
           view_->horizontalHeader()->sizeHint().height() +
           rows * view_->verticalHeader()->defaultSectionSize() +
           view_->horizontalScrollBar()->sizeHint().height();
}

void TablePanel::showHint(const QString& title, const QString& text) {
    loading_->showMessage(title, text);
}

void TablePanel::allowSeveral() {
    several_ = true;
    view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
}

std::vector<std::int32_t> TablePanel::chosenIds() const {
    std::vector<std::int32_t> ids;
    for (const QModelIndex& index : view_->selectionModel()->selectedRows())
        if (const std::int32_t id = model_->idAt(index.row()); id >= 0)
            ids.push_back(id);
    return ids;
}

void TablePanel::selectId(std::int32_t id) {
    wanted_ = id;
    const int row = id < 0 ? -1 : model_->rowOf(id);
    if (row >= 0 && view_->selectionModel()->isRowSelected(row))
        return;
    selecting_ = true;
    if (row < 0)
        view_->clearSelection();
    else // regardless of the keys pressed
        view_->selectionModel()->setCurrentIndex(
            model_->index(row, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    selecting_ = false;
}

void TablePanel::focusFilter() {
    filter_->setFocus();
    filter_->selectAll();
}

void TablePanel::filterBy(const QString& text) {
    // As users would type it, unless its characters have another meaning in a pattern.
    const QRegularExpression plain(text);
    const bool means = plain.isValid() && plain.match(text).hasMatch();
    filter_->setText(means ? text : QRegularExpression::escape(text));
}

void TablePanel::layOutColumns() {
    QHeaderView* header = view_->horizontalHeader();
    // Emphasised rows and totals are bold.
    QFont font = view_->font();
    font.setBold(model_->table().hasTotals() ||
                 std::any_of(model_->table().rows.begin(), model_->table().rows.end(),
                             [](const Row& row) { return row.emphasised; }));
    const QFontMetrics metrics(font);
    constexpr int shareOfTable = 5; // on a large screen long names need not be shortened
    const int widest = std::max(widestColumn, view_->viewport()->width() / shareOfTable);
    for (int column = 1; column < model_->columnCount(); ++column)
        header->resizeSection(column, widthOf(*model_, column, metrics, widest));
    longestName_ = longestName();
    fitNameColumn();
}

// The width in pixels of the first column's longest name, which may be out of sight. The name with
// most letters counts: only that one is measured.
int TablePanel::longestName() const {
    const Table& table = model_->table();
    const auto first =
        std::find_if(table.columns.begin(), table.columns.end(),
                     [](const Column& column) { return isShown(column.shown, Shown::Window); });
    if (first == table.columns.end())
        return 0;
    const auto column = static_cast<std::size_t>(first - table.columns.begin());
    std::string longest;
    for (const Row& row : table.rows)
        if (const auto* name = std::get_if<std::string>(&row.cells[column]);
            name != nullptr && name->size() > longest.size())
            longest = *name;
    constexpr int around = 48; // before the numbers begin
    return view_->fontMetrics().horizontalAdvance(shownName(longest)) + around;
}

// The first column takes what the others leave, but no more than names need: numbers far from them
// are hard to follow. If that is too little the table scrolls.
void TablePanel::fitNameColumn() {
    QHeaderView* header = view_->horizontalHeader();
    if (header->count() == 0)
        return;
    int others = 0;
    for (int column = 1; column < header->count(); ++column)
        others += header->sectionSize(column);
    const int room = view_->viewport()->width();
    int names = room - others;
    if (names < narrowestName_)
        names = std::max(narrowestName_,
                         widthOf(*model_, 0, view_->fontMetrics(), room * namesOfTable / 100));
    // A table with one or two columns has no numbers that must be close to the names.
    if (header->count() > 1)
        names = std::min(names, std::max(narrowestName_, longestName_));
    header->resizeSection(0, names);
}

bool TablePanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_->viewport() && event->type() == QEvent::Resize) {
        fitNameColumn();
        nothing_->setGeometry(view_->viewport()->rect());
    }
    return QWidget::eventFilter(watched, event);
}

QComboBox* TablePanel::addChoice(const QString& name, const QStringList& texts) {
    auto* choice = new QComboBox;
    choice->addItems(texts);
    choice->setAccessibleName(name);
    choice->setToolTip(name);
    QLabel* label = textLabel(name, "muted");
    label->setBuddy(choice);
    line_->insertWidget(0, label);
    line_->insertWidget(1, choice);
    return choice;
}

void TablePanel::updateSummary() {
    const auto rows = static_cast<int>(model_->table().rows.size());
    const QString count =
        model_->shownRows() != rows
            ? tr("%1 of %2 rows").arg(countText(model_->shownRows()), countText(rows))
        : rows == 1 ? tr("1 row")
                    : tr("%1 rows").arg(countText(rows));
    const bool nothing = rows > 0 && model_->shownRows() == 0;
    nothing_->setText(tr("No row has \"%1\"").arg(shownText(filter_->text())));
    nothing_->setVisible(nothing);
    nothing_->setGeometry(view_->viewport()->rect());
    const QString summary = translated(model_->table().summary);
    summary_->setText(summary.isEmpty() ? count
                                        : QStringLiteral("%1  \u00b7  %2").arg(summary, count));
    summary_->setToolTip(summary_->text());
}

} // namespace tilescope::views
