#include "views/operations/flame/flame_pane.h"

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <array>

#include "core/base/units.h"
#include "views/plot/legend_bar.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"
#include "views/widgets/pointed.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {
namespace {

/// In the order of FlameWeight.
constexpr std::array weightTitles{
    QT_TRANSLATE_NOOP("tilescope::views::FlamePane", "Cycles"),
    QT_TRANSLATE_NOOP("tilescope::views::FlamePane", "FLOPs"),
    QT_TRANSLATE_NOOP("tilescope::views::FlamePane", "Code bytes"),
    QT_TRANSLATE_NOOP("tilescope::views::FlamePane", "Always-live bytes")};
static_assert(weightTitles.size() == flameWeights.size());

} // namespace

FlamePane::FlamePane(ViewContext& context)
    : context_(context)
    , panel_(new LoadingPanel(context.workers))
    , flame_(new FlameView(context))
    , legend_(new LegendBar(context)) {
    constexpr int left = 12;
    legend_->setLeft(left);
    auto* content = new QWidget;
    inColumn(content, {makeTools(), flame_, legend_}, flame_);
    panel_->setContent(content);
    inColumn(this, {panel_});
    connect(flame_, &FlameView::hovered, this, &FlamePane::hovered);
    connect(flame_, &FlameView::zoomChanged, this, [this] {
        back_->setEnabled(flame_->zoomed().valid() && flame_->zoomed().index() > 0);
    });
    connect(flame_, &FlameView::chose, this, [this](FlameNodeId id) {
        const FlameNode& node = flame_->tree()->nodes[id];
        emit chosen(inSource(node.operation), matched_ ? ModelNodeId() : node.node);
    });
    setPointAt(*flame_, [this](const std::optional<QPoint>& at, const ShowMenu& show) {
        const FlameNodeId id = at ? flame_->nodeAt(*at) : flame_->chosen();
        Pointed pointed;
        if (id.valid() && flame_->tree() != nullptr) {
            const FlameNode& node = flame_->tree()->nodes[id];
            pointed.thing.operation = inSource(node.operation);
            pointed.name = QString::fromStdString(node.name);
            pointed.filter = [this, name = pointed.name] { search_->setText(name); };
        }
        show(pointed);
    });
    connect(&context_.theme, &ThemeSource::changed, this, &FlamePane::showLegend);
}

QWidget* FlamePane::makeTools() {
    auto* row = new ToolRow;
    tools_ = row;
    QStringList titles;
    for (const char* title : weightTitles)
        titles << tr(title);
    weight_ = row->addChoice(tr("Width"), titles);
    weight_->setToolTip(tr("What boxes are as wide as"));
    // Not "Source", which names a page beside it.
    profile_ = row->addChoice(tr("Profile"), {tr("The source"), tr("The target")});
    profile_->setToolTip(tr("Which of the two profiles it is of"));
    back_ = row->addButton(tr("Back"), tr("Back to the zoom before (Escape)"));
    back_->setEnabled(false);
    row->addStretch();
    found_ = textLabel({}, "muted");
    row->add(found_);
    search_ = new SearchBox(tr("Find boxes"),
                            tr("A part of a name: marks the boxes; Enter goes to the next"));
    row->add(search_);
    for (QComboBox* choice : {weight_, profile_})
        connect(choice, &QComboBox::activated, this, [this] { load(profiles_); });
    connect(back_, &QToolButton::clicked, flame_, &FlameView::zoomBack);
    connect(search_, &SearchBox::textChanged, this, &FlamePane::find);
    connect(search_, &SearchBox::stepWanted, this, &FlamePane::step);
    return row;
}

void FlamePane::load(const ProfilePair& profiles) {
    profiles_ = profiles;
    flame_->setTree(nullptr, 0);
    tools_->setShown(profile_, profiles.comparing());
    const bool target = profiles.comparing() && profile_->currentIndex() == 1;
    const auto weight = flameWeights.at(static_cast<std::size_t>(weight_->currentIndex()));
    panel_->load([this, profiles, target, weight](const std::stop_token& stop) {
        const ProfileViewPtr& profile = target ? profiles.target : profiles.source;
        auto tree = std::make_shared<const FlameTree>(flameTree(*profile, weight, stop));
        auto names = std::make_shared<const SourceNames>(*profile, SourceReach::Mine, stop);
        auto matched = target ? profiles.matching->operations(stop) : nullptr;
        return [this, tree, names, matched, clock = profile->machine().clockHz] {
            matched_ = matched;
            show(tree, names, clock);
        };
    });
}

// What is selected are the source's operations.
OperationId FlamePane::inSource(OperationId operation) const {
    return matched_ && operation.valid() ? matched_->sourceOf(operation) : operation;
}

void FlamePane::show(std::shared_ptr<const FlameTree> tree,
                     std::shared_ptr<const SourceNames> names, double clockHz) {
    names_ = std::move(names);
    if (tree->total() <= 0)
        return panel_->showMessage(
            tr("Nothing to show"),
            tr("No operation of this profile has any %1.").arg(weight_->currentText()));
    back_->setEnabled(false);
    flame_->setTree(std::move(tree), clockHz);
    select(selected_);
    find();
    showLegend();
}

void FlamePane::showLegend() {
    const Theme& theme = context_.theme.current();
    using Mark = LegendBar::Mark;
    legend_->setEntries(
        {{tr("Forward"), FlameView::colourOf(theme, ModelPhase::Forward), Mark::Square},
         {tr("Backward"), FlameView::colourOf(theme, ModelPhase::Backward), Mark::Square},
         {tr("Update"), FlameView::colourOf(theme, ModelPhase::Update), Mark::Square},
         {tr("No operation"), FlameView::colourOf(theme, {}), Mark::Square}});
}

void FlamePane::select(OperationId operation) {
    selected_ = operation;
    const OperationId shown =
        matched_ && operation.valid() ? matched_->targetOf(operation) : operation;
    const bool known = names_ && shown.valid() && flame_->tree() != nullptr;
    flame_->select(shown, known ? names_->frameOf(shown) : SourceFrameId());
}

void FlamePane::find() {
    const int found = flame_->mark(search_->matcher());
    search_->setMatches(0, found);
    const std::int64_t weight = flame_->markedWeight();
    found_->setText(
        found == 0 || flame_->tree() == nullptr
            ? QString()
            : QString::fromStdString(formatPercent(static_cast<double>(weight),
                                                   static_cast<double>(flame_->tree()->total()))));
    found_->setToolTip(found == 0 ? QString()
                                  : tr("%1 in the boxes that were found, each part once")
                                        .arg(flame_->weightText(weight)));
}

void FlamePane::step(bool forward) {
    flame_->stepMatch(forward);
    search_->setMatches(flame_->matchNumber(), flame_->matches());
}

} // namespace tilescope::views
