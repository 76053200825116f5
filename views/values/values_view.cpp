#include "views/values/values_view.h"

#include <QComboBox>
#include <QTabWidget>
#include <QTableView>

#include "views/tables/cell_text.h"
#include "views/widgets/parts.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {
namespace {

QString titleOf(ValueKind kind) {
    return translated(std::string(displayName(kind)));
}

} // namespace

ValuesView::ValuesView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , panel_(new LoadingPanel(context.workers))
    , curves_(new CurvesPane(context, iterations_))
    , heat_(new HeatPane(context, iterations_))
    , tensors_(new TablePanel(context, tr("Filter tensors")))
    , samples_(new TablePanel(context, tr("Filter samples")))
    , epochs_(new TablePanel(context, tr("Filter epochs")))
    , updates_(new TablePanel(context, tr("Filter updates"))) {
    auto* above = splitOf(Qt::Horizontal, curves_, heat_, 2, 3);
    above->setSizes({420, 660}); // only their proportion counts
    auto* splitter = splitOf(Qt::Vertical, above, makeTabs(), 5, 3);
    splitter->setSizes({380, 230});
    panel_->setContent(splitter);
    inColumn(this, {makeTools(), panel_});
    connect(curves_, &CurvesPane::hovered, this, &ReportView::status);
    connect(heat_, &HeatPane::hovered, this, &ReportView::status);
    connect(heat_, &HeatPane::pairChosen, this, &ValuesView::userChose);
    connect(tensors_, &TablePanel::chosen, this, &ValuesView::userChose);
    tensors_->setThings([this](std::int32_t pair) {
        Selected thing;
        if (content_ && static_cast<std::size_t>(pair) < content_->pairs.size())
            thing.tensor = content_->pairs[static_cast<std::size_t>(pair)].source;
        if (thing.tensor.valid())
            thing.operation = content_->source->tensors[thing.tensor].operation;
        return thing;
    });
    connect(tensors_, &TablePanel::activated, this, [this] { toOperations_->click(); });
    connect(&tensors_->model(), &QAbstractItemModel::modelReset, this, &ValuesView::followTable);
    connect(&tensors_->model(), &QAbstractItemModel::layoutChanged, this, &ValuesView::followTable);
}

ToolRow* ValuesView::makeTools() {
    auto* tools = tools_ = new ToolRow;
    compute_ = tools->addButton(tr("Run again with --compute…"),
                                tr("Opens the options of this run with this one changed"));
    connect(compute_, &QToolButton::clicked, this,
            [this] { emit runAgainWanted(profiles().source, "compute", "on", {}); });
    for (const CurveQuantity quantity : curveQuantities) {
        const QString title = curveTitle(quantity);
        QToolButton* button =
            tools->addToggle(title, tr("Shows or hides this curve of the training"), true);
        curveButtons_[static_cast<std::size_t>(quantity)] = button;
        connect(button, &QToolButton::toggled, this,
                [this, quantity](bool on) { curves_->setWanted(quantity, on); });
        connect(button, &QToolButton::clicked, this, [this] { userChoseCurves_ = true; });
        curves_->setWanted(quantity, true);
    }
    tools->addStretch();
    QStringList maps{tr("Exponents of the tensor")};
    for (const ValueMeasure measure : valueMeasures)
        maps << tr("Tensors: %1").arg(measureTitle(measure));
    maps_ = tools->addChoice(tr("Heat map"), maps, true);
    maps_->setToolTip(tr("The exponents of the selected tensor, or a line for each tensor of the "
                         "table, over iterations"));
    connect(maps_, &QComboBox::currentIndexChanged, this, &ValuesView::showMap);
    QStringList kinds{tr("All")};
    for (std::size_t i = 0; i < enumTitles<ValueKind>.size(); ++i)
        kinds << titleOf(static_cast<ValueKind>(i));
    kinds_ = tools->addChoice(tr("Kind"), kinds, true);
    kinds_->setToolTip(tr("Which tensors are in the table and in heat maps of tensors"));
    connect(kinds_, &QComboBox::currentIndexChanged, this, &ValuesView::showTensors);
    toOperations_ = tools->addButton(
        tr("Show in Operations"), tr("The operation that makes the tensor (Enter in the table)"));
    connect(toOperations_, &QToolButton::clicked, this,
            [this] { emit reportWanted(QStringLiteral("operations")); });
    return tools;
}

QTabWidget* ValuesView::makeTabs() {
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    tabs_->addTab(tensors_, tr("Tensors"));
    tabs_->addTab(samples_, tr("Samples of the tensor"));
    tabs_->addTab(epochs_, tr("Epochs"));
    tabs_->addTab(updates_, tr("Updates"));
    return tabs_;
}

void ValuesView::focusSearch() {
    tabs_->setCurrentWidget(tensors_);
    tensors_->focusFilter();
}

void ValuesView::reload() {
    panel_->load([this, pair = profiles()](const std::stop_token& stop) {
        return
            [this, content = readValues(pair, stop)]() mutable { showContent(std::move(content)); };
    });
}

void ValuesView::showContent(ValuesContent content) {
    content_ = std::make_shared<const ValuesContent>(std::move(content));
    pair_ = -1;
    const bool none = content_->empty();
    for (QWidget* control : std::initializer_list<QWidget*>{maps_, kinds_, toOperations_})
        control->setEnabled(!none && !content_->pairs.empty());
    tools_->setShown(maps_, !none);
    tools_->setShown(kinds_, !none);
    toOperations_->setVisible(!none);
    for (QToolButton* button : curveButtons_)
        button->setVisible(!none);
    compute_->setVisible(none && !content_->comparing());
    if (none)
        return showNothing();
    constexpr double half = 0.5;
    constexpr double fewest = 4;        // as far as one can zoom in
    constexpr double behindEnd = 0.015; // room for the mark at the end of the last epoch
    const auto all = static_cast<double>(content_->lastIteration());
    iterations_.setLimits(half, all * (1 + behindEnd) + half, std::min(fewest, std::max(1.0, all)));
    chooseCurves();
    curves_->setContent(content_);
    curves_->setVisible(content_->trains());
    heat_->setContent(content_);
    heat_->setVisible(!content_->pairs.empty());
    epochs_->setTable(content_->epochs);
    updates_->setTable(content_->updates);
    for (const int tab : {0, 1})
        tabs_->setTabVisible(tab, !content_->pairs.empty());
    for (const int tab : {2, 3})
        tabs_->setTabVisible(tab, content_->trains());
    showTensors();
    heat_->setMeasure(
        maps_->currentIndex() <= 0
            ? std::nullopt
            : std::optional(valueMeasures.at(static_cast<std::size_t>(maps_->currentIndex() - 1))));
    followSelection();
    if (pair_ < 0)
        showPair(mostLost(*content_));
    if (QTableView& table = tensors_->view(); table.currentIndex().isValid())
        table.scrollTo(table.currentIndex(), QAbstractItemView::PositionAtCenter);
}

void ValuesView::showNothing() {
    panel_->showMessage(
        content_->comparing() ? tr("Neither profile has values") : tr("This profile has no values"),
        tr("Runs that compute record them. For example:\n\n"
           "tilescope run mnist-tutorial --compute --mode training --data FOLDER -o OUTPUT\n\n"
           "FOLDER has MNIST's four files. Without --data and --mode training the results of one "
           "call are computed."));
}

// Curves that are a single number are in the text above the plots.
void ValuesView::chooseCurves() {
    for (const CurveQuantity quantity : curveQuantities) {
        const CurveLine source = curveLine(*content_->source, quantity);
        const CurveLine target =
            content_->comparing() ? curveLine(*content_->target, quantity) : CurveLine();
        QToolButton& button = *curveButtons_[static_cast<std::size_t>(quantity)];
        const bool known = !source.empty() || !target.empty();
        button.setEnabled(known);
        if (!userChoseCurves_)
            button.setChecked(known && !(source.constant() && target.constant()));
    }
}

std::optional<ValueKind> ValuesView::kind() const {
    return kinds_->currentIndex() <= 0
               ? std::nullopt
               : std::optional(static_cast<ValueKind>(kinds_->currentIndex() - 1));
}

void ValuesView::showTensors() {
    if (!content_ || content_->empty())
        return;
    tensors_->setTable(tensorsOfKind(*content_, kind()));
    followTable();
}

void ValuesView::followTable() {
    if (!content_)
        return;
    std::vector<int> order;
    const TableModel& model = tensors_->model();
    for (int row = 0; row < model.rowCount(); ++row)
        if (const std::int32_t id = model.idAt(row);
            id >= 0 && id < static_cast<std::int32_t>(content_->pairs.size()))
            order.push_back(id);
    heat_->setOrder(std::move(order));
}

void ValuesView::showMap(int choice) {
    if (content_ && !content_->empty())
        heat_->setMeasure(
            choice <= 0 ? std::nullopt
                        : std::optional(valueMeasures.at(static_cast<std::size_t>(choice - 1))));
}

void ValuesView::userChose(int pair) {
    if (!content_ || pair < 0 || pair >= static_cast<int>(content_->pairs.size()))
        return;
    showPair(pair);
    // A tensor that only the target has cannot be selected.
    const ValueTensorId tensor = content_->pairs[static_cast<std::size_t>(pair)].source;
    if (tensor.valid())
        context().selection.update([&](Selected& s) {
            s.tensor = tensor;
            s.operation = content_->source->tensors[tensor].operation;
        });
}

void ValuesView::followSelection() {
    if (!content_)
        return;
    const Selected& selected = context().selection.current();
    const int pair = pairOf(*content_, selected.tensor, selected.operation, pair_);
    if (pair >= 0 && pair != pair_)
        showPair(pair);
}

void ValuesView::showPair(int pair) {
    pair_ = pair;
    heat_->setPair(pair);
    tensors_->selectId(pair);
    toOperations_->setEnabled(pair >= 0 && content_->tensorOf(pair).operation.valid() &&
                              content_->pairs[static_cast<std::size_t>(pair)].source.valid());
    if (pair < 0)
        return;
    // A hidden kind is shown again rather than leaving the table without the tensor.
    if (kind() && content_->tensorOf(pair).kind != *kind())
        kinds_->setCurrentIndex(0);
    samples_->setTable(samplesTable(*content_, pair));
}

} // namespace tilescope::views
