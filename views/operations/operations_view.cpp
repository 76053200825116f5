#include "views/operations/operations_view.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "views/operations/graph/graph_texts.h"
#include "views/widgets/parts.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {
namespace {

// Shares of a page and of the details, which may be only a hint: only the ratio counts, unless the
// numbers are below the minimum sizes of the parts.
const QList<int> sizesBelow{6000, 4000};
const QList<int> sizesBeside{5700, 4300};
const QList<int> sizesWithHint{7700, 2300};

} // namespace

OperationsView::OperationsView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , table_(new TablePanel(context, tr("Filter operations")))
    , graph_(new GraphPane(context))
    , roofline_(new RooflinePane(context))
    , flame_(new FlamePane(context))
    , code_(new SourcePane(context))
    , pages_(new QStackedWidget)
    , splitter_(new QSplitter(Qt::Vertical))
    , detailsPanel_(new LoadingPanel(context.workers))
    , tabs_(new GroupTabs(context))
    , groups_(context.workers) {
    columns_ = standardColumns();
    detailsPanel_->setContent(tabs_);
    pages_->addWidget(table_);
    pages_->addWidget(graph_);
    pages_->addWidget(roofline_);
    pages_->addWidget(flame_);
    pages_->addWidget(code_);
    splitter_->addWidget(pages_);
    splitter_->addWidget(detailsPanel_);
    splitter_->setStretchFactor(0, 3);
    splitter_->setStretchFactor(1, 2);
    splitter_->setSizes(sizesWithHint);
    splitter_->setChildrenCollapsible(false);
    inColumn(this, {makeTools(), splitter_});
    // Waits and what belongs to no operation would make all others' bars slivers.
    table_->model().setBarless([this](std::int32_t row) {
        const auto at = static_cast<std::size_t>(row);
        return report_ && at < report_->source.rows.size() &&
               !report_->source.rows[at].kind.empty();
    });
    connect(table_, &TablePanel::chosen, this, &OperationsView::choose);
    joinMenus();
    connect(graph_, &GraphPane::itemChosen, this, &OperationsView::chooseInGraph);
    connect(graph_, &GraphPane::hovered, this, &OperationsView::status);
    connect(roofline_, &RooflinePane::hovered, this, &OperationsView::status);
    connect(roofline_, &RooflinePane::chosen, this, [this](std::int32_t row) {
        selectRow(row);
        choose(row);
    });
    connect(code_, &SourcePane::chosen, this, [this](std::int32_t row) {
        row < 0 ? forgetDetails() : choose(row); // those of another line would be taken for its own
    });
    connect(code_, &SourcePane::wantedChanged, this, [this] { setChoice(code_->wanted()); });
    connect(code_, &SourcePane::filesChanged, this,
            [this](const std::shared_ptr<const OperationsReport>& report) {
                if (report_) // else another one is on its way
                    report_ = report;
            });
    connect(code_, &SourcePane::status, this, &OperationsView::status);
    connect(flame_, &FlamePane::hovered, this, &OperationsView::status);
    connect(flame_, &FlamePane::chosen, this, &OperationsView::chooseInFlame);
    connect(tabs_, &GroupTabs::stepChosen, this, &OperationsView::chooseStep);
    connect(tabs_, &GroupTabs::stepActivated, this, [this](std::int32_t program) {
        chooseStep(program);
        emit reportWanted(QStringLiteral("programs"));
    });
    connect(splitter_, &QSplitter::splitterMoved, this, [this] { sharedByUser_ = true; });
    connect(&groups_, &BackgroundQuery::failed, this, [this](const QString& text) {
        table_->showHint(tr("This report cannot be shown"), text);
    });
    connect(&groups_, &BackgroundQuery::slow, this,
            [this] { table_->showHint(tr("Gathering the steps…")); });
}

void OperationsView::setColumn(const QString& key, bool on) {
    columns_.removeAll(key);
    if (on)
        columns_.append(key);
    showReport();
}

// A row without cost that is wanted is shown, with all others of its kind.
void OperationsView::selectRow(std::int32_t row) {
    if (!comparing() && shownRows_ == ShownRows::Costly && row >= 0 &&
        table_->filter().text().isEmpty() && table_->model().rowOf(row) < 0)
        allRows_->setChecked(true);
    table_->selectId(row);
}

void OperationsView::showRows(ShownRows rows) {
    shownRows_ = rows;
    showReport();
}

void OperationsView::setChoice(const GroupChoice& choice) {
    if (choice == choice_)
        return;
    choice_ = choice;
    if (profiles().source) // else reload() asks for it
        load();
}

void OperationsView::reload() {
    code_->forgetProfiles();
    choice_.sources.clear();
    metricBox_->setVisible(comparing() && showsTable());
    columnButton_->setVisible(!comparing() && showsTable());
    graphStale_ = true;
    flameStale_ = true;
    load();
    if (showsGraph())
        loadGraph();
    if (showsFlame())
        loadFlame();
}

void OperationsView::joinMenus() {
    const auto thingOf = [this](std::size_t row) {
        Selected thing;
        if (report_ && row < report_->source.rows.size())
            thing.operation = report_->source.rows[row].operation;
        return thing;
    };
    table_->setThings(
        [thingOf](std::int32_t row) { return thingOf(static_cast<std::size_t>(row)); });
    RooflinePlot& plot = roofline_->plot();
    setPointAt(plot, [&plot, this, thingOf](const std::optional<QPoint>& at, const ShowMenu& show) {
        const RooflineMark* mark =
            at ? plot.markAt(plot.xAxis->pixelToCoord(at->x()), plot.yAxis->pixelToCoord(at->y()))
               : nullptr;
        Pointed pointed;
        if (mark != nullptr && !mark->target)
            pointed.thing = thingOf(mark->row);
        if (mark != nullptr)
            pointed.name = roofline_->textOf(*mark).section(QLatin1Char('\n'), 0, 0);
        show(pointed);
    });
}

void OperationsView::focusSearch() {
    if (showsGraph())
        graph_->focusSearch();
    else if (showsFlame())
        flame_->focusSearch();
    else if (showsTable())
        table_->focusFilter();
}

bool OperationsView::showsGraph() const {
    return pages_->currentWidget() == graph_;
}

bool OperationsView::showsFlame() const {
    return pages_->currentWidget() == flame_;
}

bool OperationsView::showsTable() const {
    return pages_->currentWidget() == table_;
}

// The tabs are beside the graph and the roofline, which need the height, and below the table and
// the flame graph, which need the width.
void OperationsView::showPage(QWidget* page) {
    const bool table = page == table_;
    const bool wide = table || page == flame_;
    pages_->setCurrentWidget(page);
    // The width of the table's controls must not take room from the details beside the other pages.
    for (int i = 0; i < pages_->count(); ++i) {
        QWidget* each = pages_->widget(i);
        const auto policy = each == page ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        each->setSizePolicy(policy, policy);
    }
    splitter_->setOrientation(wide ? Qt::Vertical : Qt::Horizontal);
    sharedByUser_ = false;
    shareRoom();
    // Beside the graph, narrower tabs make all four fit without scroll buttons.
    tabs_->setStyleSheet(wide ? QString() : QStringLiteral("QTabBar::tab { padding: 6px 8px; }"));
    tools_->setShown(layer_, table || page == roofline_);
    metricBox_->setVisible(comparing() && table);
    columnButton_->setVisible(!comparing() && table);
    if (page == code_)
        return setChoice(code_->wanted());
    if (page != graph_ && page != flame_)
        return;
    setChoice({});
    if (page == graph_ && graphStale_)
        loadGraph();
    if (page == flame_ && flameStale_)
        loadFlame();
}

// Rows of the table, the flame graph and the code stay where they are when details come, so that a
// hint may take less room; the graph and the roofline would be laid out anew.
void OperationsView::shareRoom() {
    QWidget* page = pages_->currentWidget();
    const bool noLines = page == code_ && report_ && !report_->hasLines;
    detailsPanel_->setVisible(!noLines);
    if (sharedByUser_)
        return;
    const bool stays = page == table_ || page == flame_ || page == code_;
    splitter_->setSizes(stays && shownRow_ < 0                     ? sizesWithHint
                        : splitter_->orientation() == Qt::Vertical ? sizesBelow
                                                                   : sizesBeside);
}

void OperationsView::loadFlame() {
    if (!profiles().source)
        return;
    flameStale_ = false;
    flame_->load(profiles());
    flame_->select(context().selection.current().operation);
}

void OperationsView::chooseInFlame(OperationId operation, ModelNodeId node) {
    if (!operation.valid())
        return forgetDetails();
    context().selection.update([operation](Selected& s) { s.operation = operation; });
    if (const std::int32_t row = rowOf(operation, node); row >= 0) {
        selectRow(row);
        loadDetails(row);
    }
}

void OperationsView::loadGraph() {
    if (!profiles().source)
        return;
    graphStale_ = false;
    graph_->load(profiles());
}

void OperationsView::chooseInGraph(const GraphItem& item) {
    const auto& model = graph_->model();
    const OperationId operation = item.valid() && model ? model->operationOf(item) : OperationId();
    if (operation.valid()) {
        context().selection.update([operation](Selected& s) { s.operation = operation; });
        if (const std::int32_t row = rowOf(operation, model->recordedNode(item)); row >= 0) {
            selectRow(row);
            loadDetails(row);
        }
        return;
    }
    forgetDetails();
    if (!item.valid() || !model)
        return;
    if (item.isScope()) {
        tabs_->setDetails({scopeSummary(*model, item.scope), {}, {}, {}}, model->executed,
                          model->comparing);
        detailsPanel_->showContent();
    } else {
        detailsPanel_->showMessage(
            fullName(*model, item),
            itemText(*model, item, context().preferences).section(QLatin1Char('\n'), 1));
    }
}

std::int32_t OperationsView::rowOf(OperationId operation, ModelNodeId node) const {
    if (!report_)
        return -1;
    const auto& rows = report_->source.rows;
    if (report_->names) { // a line has several operations
        const std::string line =
            report_->names->name(report_->names->frameOf(operation), SourceGrain::Line);
        // A line on several IPUs has several rows.
        if (shownRow_ >= 0 && rows[static_cast<std::size_t>(shownRow_)].path == line)
            return shownRow_;
        const auto row = std::find_if(rows.begin(), rows.end(), [&line](const CostRow& each) {
            return !line.empty() && each.path == line;
        });
        return row == rows.end() ? -1 : static_cast<std::int32_t>(row - rows.begin());
    }
    const auto of = [&](bool samePlace) {
        return std::find_if(rows.begin(), rows.end(), [&](const CostRow& row) {
            return row.operation == operation && (!samePlace || row.node == node);
        });
    };
    auto found = node.valid() ? of(true) : rows.end();
    if (found == rows.end())
        found = of(false);
    return found == rows.end() ? -1 : static_cast<std::int32_t>(found - rows.begin());
}

void OperationsView::forgetDetails() {
    shownRow_ = -1;
    roofline_->mark(-1);
    detailsPanel_->showMessage(
        tr("Nothing is selected"),
        pages_->currentWidget() == code_
            ? tr("Select a line with costs to see its figures, steps and code.")
            : tr("Select an operation to see its figures, steps, code and plan."));
}

void OperationsView::load() {
    report_.reset();
    forgetDetails();
    groups_.start([this, pair = profiles(), choice = choice_](const std::stop_token& stop) {
        auto report = std::make_shared<const OperationsReport>(readOperations(pair, choice, stop));
        return [this, report] {
            report_ = report;
            fillLayers(report_->depth, report_->hasLines);
            if (layer_->currentIndex() < 0)
                return setChoice({});
            showReport();
            followSelection();
            shareRoom();
        };
    });
}

void OperationsView::showReport() {
    if (!report_)
        return;
    roofline_->setReport(report_, profiles());
    code_->setReport(report_);
    if (!comparing()) {
        table_->setTable(groupTable(*report_, columns_, shownRows_));
        return;
    }
    if (!metricChosen_) // as one profile is sorted, if two runs can be compared so
        metric_->setCurrentText(QString::fromStdString(
            costColumn(report_->runsAlike ? "measuredCycles" : "estimatedCycles")->column.title));
    for (const CostColumn* column : comparableColumns())
        if (QString::fromStdString(column->column.title) == metric_->currentText())
            table_->setTable(comparedGroups(*report_, *column));
}

void OperationsView::restyle() {
    roofline_->restyle();
    const std::int32_t row = std::exchange(shownRow_, -1);
    if (row >= 0)
        loadDetails(row);
}

void OperationsView::choose(std::int32_t row) {
    if (!report_ || row < 0 || static_cast<std::size_t>(row) >= report_->source.rows.size())
        return;
    loadDetails(row);
    const auto at = static_cast<std::size_t>(row);
    const OperationId operation = at < report_->mainOperations.size()
                                      ? report_->mainOperations[at]
                                      : report_->source.rows[at].operation;
    if (operation.valid())
        context().selection.update([operation](Selected& s) { s.operation = operation; });
}

void OperationsView::chooseStep(std::int32_t program) {
    if (program >= 0)
        context().selection.update([program](Selected& s) { s.program = ProgramId(program); });
}

// Selects the only row with steps of the operation, if there is just one.
void OperationsView::followSelection() {
    const OperationId operation = context().selection.current().operation;
    flame_->select(operation);
    if (!operation.valid())
        return;
    if (showsGraph())
        graph_->mark(operation);
    if (!report_)
        return;
    const auto& groups = report_->source.rows;
    // A row that is selected may be one of several of the operation.
    if (shownRow_ >= 0 && groups[static_cast<std::size_t>(shownRow_)].operation == operation)
        return;
    const std::int32_t row = rowOf(operation);
    if (row < 0)
        return;
    selectRow(row);
    code_->mark(row);
    loadDetails(row);
}

void OperationsView::loadDetails(std::int32_t row) {
    if (row == shownRow_ || !report_)
        return;
    shownRow_ = row;
    shareRoom();
    roofline_->mark(row);
    detailsPanel_->load([this, pair = profiles(), report = report_, row,
                         theme = context().theme.current()](const std::stop_token& stop) {
        return [this, executed = pair.source->info().hasExecution, two = pair.comparing(),
                details = groupDetails(pair, *report, static_cast<std::size_t>(row), theme,
                                       stop)]() mutable {
            tabs_->setDetails(std::move(details), executed, two);
        };
    });
}

} // namespace tilescope::views
