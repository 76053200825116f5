#include "views/operations/graph/graph_pane.h"

#include <QComboBox>
#include <QToolButton>
#include <algorithm>

#include "views/operations/graph/graph_texts.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {
namespace {

/// More boxes than this are not told apart, and their layout takes seconds.
constexpr std::size_t mostAtOnce = 6000;

bool hasMetric(const GraphModel& model, GraphMetric metric) {
    return metric != GraphMetric::MeasuredCycles || model.executed;
}

} // namespace

GraphPane::GraphPane(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , layout_(context.workers)
    , panel_(new LoadingPanel(context.workers))
    , canvas_(new GraphCanvas(context))
    , legend_(new GraphLegend(context)) {
    auto* drawing = new QWidget;
    inColumn(drawing, {makeTools(), canvas_, legend_}, canvas_);
    panel_->setContent(drawing);
    inColumn(this, {panel_});
    connect(canvas_, &GraphCanvas::itemChosen, this, &GraphPane::choose);
    setPointAt(*canvas_, [this](const std::optional<QPoint>& position, const ShowMenu& show) {
        show(pointed(position ? canvas_->itemAt(*position) : canvas_->chosen()));
    });
    connect(canvas_, &GraphCanvas::hovered, this, &GraphPane::hovered);
    connect(canvas_, &GraphCanvas::toggleWanted, this, [this](GraphScopeId scope, bool expand) {
        Expansion next = *expansion_;
        next.set(scope, expand);
        // A chosen item in a collapsed scope is no longer visible.
        if (!expand && canvas_->chosen().valid() && model_->tree.isWithin(canvas_->chosen(), scope))
            choose(GraphItem::of(scope));
        changeExpansion(next, GraphItem::of(scope), false);
    });
    connect(&layout_, &BackgroundQuery::failed, this, [this](const QString& text) {
        panel_->showMessage(tr("The graph cannot be drawn"), text);
    });
}

Pointed GraphPane::pointed(const GraphItem& item) {
    Pointed pointed;
    if (!item.valid() || !model_)
        return pointed;
    pointed.thing.operation = model_->operationOf(item);
    pointed.name = fullName(*model_, item);
    pointed.filter = [this, name = pointed.name] { search_->setText(name); };
    return pointed;
}

QWidget* GraphPane::makeTools() {
    auto* row = new ToolRow;
    metric_ = row->addChoice(tr("Colour"), {});
    metric_->setToolTip(tr("What the boxes are coloured by"));
    byPhase_ = row->addToggle(tr("Passes"), tr("Forward, backward and update apart"), true);
    byStage_ = row->addToggle(tr("Stages"), tr("Stages of the pipeline apart"), true);
    auto* labels =
        row->addToggle(tr("Shapes"), tr("Shapes and types of tensors on the lines"), false);
    connect(labels, &QToolButton::toggled, canvas_, &GraphCanvas::setEdgeLabels);
    auto* collapse = row->addButton(tr("Collapse"), tr("Collapse all scopes"));
    auto* expand = row->addButton(tr("Expand all"), tr("Show every operation"));
    auto* fit = row->addButton(tr("Fit"), tr("Show everything (F)"));
    row->addStretch();
    metric_->setMinimumContentsLength(14);
    search_ =
        new SearchBox(tr("Find in the graph"), tr("A part of a name; Enter shows the next match"));
    way_ = textLabel({}, "muted");
    way_->setTextFormat(Qt::RichText);
    way_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    way_->setFocusPolicy(Qt::StrongFocus);
    way_->setContentsMargins(12, 0, 12, 4);
    way_->setAccessibleName(tr("Scopes that the chosen item is in"));
    way_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    connect(metric_, &QComboBox::activated, this, [this] {
        canvas_->setMetric(static_cast<GraphMetric>(metric_->currentData().toInt()));
        legend_->setColours(canvas_->colours());
    });
    connect(byPhase_, &QToolButton::toggled, this, [this] { load(profiles_); });
    connect(byStage_, &QToolButton::toggled, this, [this] { load(profiles_); });
    connect(collapse, &QToolButton::clicked, this, [this] {
        if (model_)
            changeExpansion(Expansion(model_->tree), {}, false);
    });
    connect(expand, &QToolButton::clicked, this, [this] {
        Expansion all(model_->tree);
        all.setAll(true);
        changeExpansion(all, {}, false);
    });
    connect(fit, &QToolButton::clicked, canvas_, &GraphCanvas::fit);
    connect(search_, &SearchBox::textChanged, this, &GraphPane::findMatches);
    connect(search_, &SearchBox::stepWanted, this, &GraphPane::stepMatch);
    connect(way_, &QLabel::linkActivated, this, &GraphPane::followWay);
    auto* tools = new QWidget;
    auto* lines = new QVBoxLayout(tools);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    // The controls of a pipelined training take a line of their own.
    auto* second = new QHBoxLayout;
    second->setContentsMargins(0, 0, 10, 6);
    second->addWidget(way_, 1);
    second->addWidget(search_);
    lines->addWidget(row);
    lines->addLayout(second);
    return tools;
}

void GraphPane::load(const ProfilePair& profiles) {
    profiles_ = profiles;
    model_.reset();
    expansion_.reset();
    layout_.cancel();
    canvas_->choose({});
    canvas_->setMatches({});
    canvas_->setScene(nullptr, {});
    if (!profiles_.source)
        return;
    panel_->load([this, pair = profiles, phases = byPhase_->isChecked(),
                  stages = byStage_->isChecked()](const std::stop_token& stop) {
        MissingGraph missing;
        auto model = readGraph(pair, phases, stages, missing, stop);
        return [this, missing, model] {
            if (model)
                showModel(model);
            else
                showMissing(missing);
        };
    });
}

void GraphPane::showMissing(const MissingGraph& missing) {
    const QString which = !profiles_.comparing() ? tr("This profile")
                          : missing.inTarget     ? tr("The target")
                                                 : tr("The source");
    panel_->showMessage(tr("The graph is not recorded"),
                        tr("%1 was written before profiles recorded the inputs and outputs of "
                           "operations (schema version 5). Run the model again to see its graph.")
                            .arg(which));
}

void GraphPane::showModel(std::shared_ptr<const GraphModel> model) {
    model_ = std::move(model);
    const GraphGrouping usual = usualGrouping(model_->merged.graph);
    byPhase_->setVisible(usual.phases);
    byStage_->setVisible(usual.stages);
    fillMetrics();
    findMatches(search_->text());
    canvas_->choose({});
    showWay({});
    changeExpansion(startingExpansion(model_->tree), {}, true);
    mark(context_.selection.current().operation);
}

void GraphPane::fillMetrics() {
    const QVariant before = metric_->currentData();
    metric_->clear();
    for (const GraphMetric metric : graphMetrics)
        if (hasMetric(*model_, metric)) {
            metric_->addItem(metricTitle(metric), static_cast<int>(metric));
            metric_->setItemData(metric_->count() - 1, Text::tr(metricRow(metric).toolTip),
                                 Qt::ToolTipRole);
        }
    metric_->setCurrentIndex(std::max(0, metric_->findData(before)));
    canvas_->setMetric(static_cast<GraphMetric>(metric_->currentData().toInt()));
}

void GraphPane::changeExpansion(const Expansion& expansion, const GraphItem& anchor,
                                bool thenReveal) {
    if (!model_)
        return;
    if (visibleGraph(model_->tree, expansion, {}).items.size() > mostAtOnce) {
        emit hovered(
            tr("More than %1 boxes would show: expand scopes one by one.").arg(mostAtOnce));
        return;
    }
    expansion_ = expansion;
    layout_.start([this, model = model_, expansion, anchor, thenReveal,
                   font = canvas_->font()](const std::stop_token& stop) {
        auto scene = makeScene(model, expansion, font, stop);
        return [this, scene, anchor, thenReveal] {
            canvas_->setScene(scene, anchor);
            legend_->setColours(canvas_->colours());
            if (thenReveal)
                canvas_->reveal(canvas_->chosen());
        };
    });
}

void GraphPane::choose(const GraphItem& item) {
    canvas_->choose(item);
    showWay(item);
    emit itemChosen(item);
}

void GraphPane::show(const GraphItem& item) {
    if (!model_ || !item.valid())
        return;
    choose(item);
    Expansion next = *expansion_;
    next.reveal(model_->tree, item);
    changeExpansion(next, visibleItem(model_->tree, *expansion_, item), true);
}

void GraphPane::mark(OperationId operation) {
    if (!model_ || !operation.valid() || model_->operationOf(canvas_->chosen()) == operation)
        return;
    const ModelNodeId node = model_->nodeOf(operation);
    if (!node.valid())
        return;
    const GraphItem item = visibleItem(model_->tree, *expansion_, GraphItem::of(node));
    canvas_->choose(item);
    canvas_->reveal(item);
    showWay(GraphItem::of(node));
}

void GraphPane::findMatches(const QString& text) {
    match_ = -1;
    matches_.clear();
    if (model_ && !text.isEmpty())
        matches_ = model_->nodesNamed(text);
    canvas_->setMatches(matches_);
    search_->setMatches(0, static_cast<qint64>(matches_.size()));
}

void GraphPane::stepMatch(bool forward) {
    if (matches_.empty())
        return;
    const auto count = static_cast<int>(matches_.size());
    match_ = match_ < 0 ? (forward ? 0 : count - 1) : (match_ + (forward ? 1 : count - 1)) % count;
    search_->setMatches(match_ + 1, count);
    show(GraphItem::of(matches_[static_cast<std::size_t>(match_)]));
}

void GraphPane::showWay(const GraphItem& item) {
    if (!model_) {
        way_->clear();
        return;
    }
    QStringList parts;
    const auto link = [](GraphScopeId scope, const QString& text) {
        return QStringLiteral("<a href=\"%1\">%2</a>").arg(scope.value()).arg(text.toHtmlEscaped());
    };
    const ScopeTree& tree = model_->tree;
    if (item.valid())
        parts.prepend(shownName(tree.labelOf(item), mostOfOne).toHtmlEscaped());
    for (GraphScopeId at = item.valid() ? tree.parentOf(item) : GraphScopeId(); at.valid();
         at = tree[at].parent)
        if (at != tree.root())
            parts.prepend(link(at, shownName(tree[at].label, mostOfOne)));
    parts.prepend(tr("Model"));
    way_->setText(parts.join(QStringLiteral("  \u203a  ")));
}

void GraphPane::followWay(const QString& link) {
    show(GraphItem::of(GraphScopeId(link.toInt())));
}

} // namespace tilescope::views
