#include "views/sql/sql_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QTableView>
#include <QTextBlock>
#include <algorithm>
#include <array>

#include "views/session/time_texts.h"
#include "views/tables/item_export.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {
namespace {

constexpr auto rowLimits = std::to_array<int>({1'000, 10'000, 100'000});
constexpr int widestColumn = 420;

// The first line with content, for a menu.
QString shortened(const QString& sql) {
    constexpr int longest = 90;
    const QString text = menuText(sql.simplified());
    return text.size() > longest ? text.left(longest) + QChar(0x2026) : text;
}

} // namespace

SqlView::SqlView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , query_(context.workers)
    , schemaQuery_(context.workers)
    , model_(new TableModel(context, this))
    , editor_(new SqlEditor(context.theme))
    , schema_(new SchemaTree) {
    error_ = wrappedLabel({}, "error");
    error_->setContentsMargins(10, 4, 10, 4);
    error_->hide();
    auto* top = new QWidget;
    inColumn(top, {makeTools(), editor_, error_}, editor_);
    auto* right = splitOf(Qt::Vertical, top, makeResult(), 2, 3);
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->addWidget(schema_);
    splitter->addWidget(right);
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({230, 900});
    inColumn(this, {splitter});

    connect(editor_, &SqlEditor::runWanted, this, &SqlView::run);
    connect(schema_, &SchemaTree::nameWanted, editor_, &SqlEditor::insertWord);
    connect(&query_, &BackgroundQuery::failed, this, [this](const QString& text) {
        setRunning(false);
        error_->setText(text);
        error_->show();
    });
    connect(&query_, &BackgroundQuery::cancelled, this, [this] {
        setRunning(false);
        status_->setText(tr("Cancelled"));
    });
    const QStringList& history = context.queries.history();
    editor_->setPlainText(history.isEmpty() ? sqlExamples().front().sql : history.front());
}

QWidget* SqlView::makeTools() {
    auto* row = new ToolRow;
    run_ = row->addButton(tr("Run"), tr("Runs the query, or the selected part (F5, Ctrl+Enter)"));
    cancel_ = row->addButton(tr("Cancel"), tr("Stops the query that is running (Esc)"));
    cancel_->setEnabled(false);
    row->setPriority(run_, ToolRow::Priority::Always);
    addMenu(*row, tr("Examples"), tr("Queries to begin with"), &SqlView::fillExamples);
    addMenu(*row, tr("History"), tr("Queries that were run"), &SqlView::fillHistory);
    addMenu(*row, tr("Saved"), tr("Queries with a name"), &SqlView::fillSaved);
    row->addStretch();
    auto* choice = new ToolRow;
    choice->layout()->setContentsMargins(0, 0, 0, 0);
    profile_ = choice->addChoice(tr("Profile"), {tr("Source"), tr("Target")});
    profile_->setToolTip(
        tr("On the source, tables of the target are available too: target.variables and so on"));
    profileBox_ = choice;
    row->add(choice);
    QStringList limits;
    for (const int limit : rowLimits)
        limits.append(countText(limit));
    limit_ = row->addChoice(tr("Rows, at most"), limits);
    connect(run_, &QToolButton::clicked, this, &SqlView::run);
    connect(cancel_, &QToolButton::clicked, this, &SqlView::cancel);
    return row;
}

QToolButton* SqlView::addMenu(ToolRow& row, const QString& text, const QString& toolTip,
                              void (SqlView::*fill)(QMenu&)) {
    QToolButton* button = row.addButton(text + QStringLiteral(" \u25be"), toolTip);
    button->setAccessibleName(text);
    auto* menu = new QMenu(button);
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, fill] {
        menu->clear();
        (this->*fill)(*menu);
    });
    return button;
}

QWidget* SqlView::makeResult() {
    table_ = new QTableView;
    model_->showPlainValues();
    table_->setModel(model_);
    setUpTable(*table_);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->verticalHeader()->show();
    table_->setTabKeyNavigation(false);
    table_->setAccessibleName(tr("Rows of the answer"));
    status_ = textLabel({}, "muted");
    auto* row = new ToolRow;
    row->add(status_);
    row->setPriority(status_, ToolRow::Priority::Always);
    row->addStretch();
    copy_ = row->addButton(tr("Copy"), tr("Copies the selected rows, or all"));
    save_ = row->addButton(tr("Save CSV…"), tr("Writes all rows to a file"));
    connect(copy_, &QToolButton::clicked, this, &SqlView::copyRows);
    connect(save_, &QToolButton::clicked, this, [this] { askAndSaveCsv(*table_); });
    copy_->setEnabled(false);
    save_->setEnabled(false);
    auto* page = new QWidget;
    inColumn(page, {row, table_});
    return page;
}

void SqlView::reload() {
    cancel();
    setRunning(false);
    profileBox_->setVisible(comparing());
    if (!comparing())
        profile_->setCurrentIndex(0);
    model_->setTable({});
    copy_->setEnabled(false);
    save_->setEnabled(false);
    status_->setText(tr("F5 or Ctrl+Enter runs the query"));
    schemaQuery_.start([this, profile = profiles().source](const std::stop_token& stop) {
        return [this, entries = readSchema(*profile, stop)] { schema_->setEntries(entries); };
    });
    // Runs the initial example at once; any other text waits until the user runs it.
    if (editor_->toPlainText() == sqlExamples().front().sql)
        run();
}

ProfileViewPtr SqlView::chosenProfile() const {
    return comparing() && profile_->currentIndex() == 1 ? profiles().target : profiles().source;
}

void SqlView::run() {
    const ProfileViewPtr profile = chosenProfile();
    if (!profile)
        return;
    const ProfileViewPtr other =
        comparing() && profile != profiles().target ? profiles().target : nullptr;
    const QString sql = editor_->query();
    const auto limit = static_cast<std::size_t>(rowLimits[std::max(0, limit_->currentIndex())]);
    error_->hide();
    setRunning(true);
    query_.start([this, profile, other, sql, limit,
                  begin = editor_->queryBegin()](const std::stop_token& stop) {
        return [this, begin, limit, sql,
                answer = answerTo(sql, *profile, other.get(), limit, stop)]() mutable {
            if (answer.error.isEmpty() && sql != sqlExamples().front().sql)
                context().queries.addToHistory(sql.trimmed());
            show(std::move(answer), begin, limit);
        };
    });
}

void SqlView::cancel() {
    if (query_.running())
        query_.cancel();
}

void SqlView::setRunning(bool running) {
    run_->setEnabled(!running);
    cancel_->setEnabled(running);
    if (running)
        status_->setText(tr("Running…"));
}

void SqlView::show(SqlAnswer answer, int begin, std::size_t limit) {
    setRunning(false);
    if (!answer.error.isEmpty()) {
        showError(answer, begin);
        return;
    }
    const std::size_t rows = answer.table.rows.size();
    const QString time = tr("%1 ms").arg(answer.milliseconds);
    if (answer.truncated)
        status_->setText(tr("The first %1 rows in %2; there are more. Raise the limit, or narrow "
                            "the query.")
                             .arg(countText(static_cast<std::int64_t>(limit)), time));
    else
        status_->setText(
            rows == 1 ? tr("1 row in %1").arg(time)
                      : tr("%1 rows in %2").arg(countText(static_cast<std::int64_t>(rows)), time));
    table_->horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
    model_->setTable(std::move(answer.table));
    table_->resizeColumnsToContents();
    for (int column = 0; column < model_->columnCount(); ++column)
        table_->setColumnWidth(column, std::min(widestColumn, table_->columnWidth(column) + 12));
    copy_->setEnabled(model_->columnCount() > 0);
    save_->setEnabled(model_->columnCount() > 0);
}

void SqlView::showError(const SqlAnswer& answer, int begin) {
    status_->setText(tr("Not run"));
    model_->setTable({}); // rows of the previous query do not belong to this one
    copy_->setEnabled(false);
    save_->setEnabled(false);
    QString text = answer.error;
    if (answer.errorAt) {
        const int at = begin + static_cast<int>(*answer.errorAt);
        const QTextBlock line = editor_->document()->findBlock(at);
        if (line.isValid())
            text = tr("Line %1, column %2: %3")
                       .arg(line.blockNumber() + 1)
                       .arg(at - line.position() + 1)
                       .arg(text);
        editor_->markError(at);
    }
    error_->setText(text);
    error_->show();
}

QString SqlView::statusText() const {
    return status_->text();
}

void SqlView::copyRows() {
    const qsizetype rows = table_->selectionModel()->selectedRows().size();
    QApplication::clipboard()->setText(tabbedText(*table_, rows > 0));
    emit status(tr("%1 rows copied").arg(countText(rows > 0 ? rows : model_->rowCount())));
}

void SqlView::fillExamples(QMenu& menu) {
    for (const SqlExample& example : sqlExamples())
        if (!example.comparing || comparing())
            menu.addAction(example.title, this,
                           [this, sql = example.sql] {
                               editor_->replaceText(sql);
                               run();
                           })
                ->setToolTip(example.sql);
}

void SqlView::fillHistory(QMenu& menu) {
    const QStringList& history = context().queries.history();
    for (const QString& sql : history)
        menu.addAction(shortened(sql), this, [this, sql] { editor_->replaceText(sql); })
            ->setToolTip(sql);
    if (history.isEmpty()) {
        menu.addAction(tr("Nothing was run yet"))->setEnabled(false);
        return;
    }
    menu.addSeparator();
    menu.addAction(tr("Clear the history"), &context().queries, &QueryBook::clearHistory);
}

void SqlView::fillSaved(QMenu& menu) {
    menu.addAction(tr("Save this query…"), this, &SqlView::askForName);
    menu.addSeparator();
    for (const QueryBook::Saved& query : context().queries.saved())
        menu.addAction(query.name, this, [this, sql = query.sql] { editor_->replaceText(sql); })
            ->setToolTip(query.sql);
    if (context().queries.saved().empty())
        return;
    menu.addSeparator();
    QMenu* removed = menu.addMenu(tr("Remove"));
    for (const QueryBook::Saved& query : context().queries.saved())
        removed->addAction(query.name, this,
                           [this, name = query.name] { context().queries.remove(name); });
}

void SqlView::askForName() {
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Save query"));
    dialog->setLabelText(tr("Name of the query (an existing one is replaced):"));
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& name) {
        if (!name.trimmed().isEmpty())
            context().queries.save(name.trimmed(), editor_->query().trimmed());
    });
    dialog->open();
}

// F5 reads the profile again elsewhere; here it runs the query, wherever the focus is.
bool SqlView::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (isRunKey(*key) || (key->key() == Qt::Key_Escape && running())) {
            event->accept();
            return true;
        }
    }
    return ReportView::event(event);
}

void SqlView::keyPressEvent(QKeyEvent* event) {
    if (isRunKey(*event))
        run();
    else if (event->key() == Qt::Key_Escape && running())
        cancel();
    else
        ReportView::keyPressEvent(event);
}

} // namespace tilescope::views
