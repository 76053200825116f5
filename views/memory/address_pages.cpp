#include "views/memory/address_pages.h"

#include <QCheckBox>
#include <algorithm>

#include "views/memory/address_content.h"
#include "views/plot/series/plot_column.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

// "Source, tile 5"; without the side where there is one.
QString ofSide(bool comparing, std::size_t side, const QString& separator, const QString& text) {
    return !comparing ? text
                      : (side == 0 ? Text::tr("Source") : Text::tr("Target")) + separator + text;
}

} // namespace

AddressPage::AddressPage(ViewContext& context, bool overTime)
    : LoadingPanel(context.workers)
    , context_(context)
    , overTime_(overTime)
    , legend_(new LegendBar(context)) {}

void AddressPage::loadTile(TileId wanted) {
    load([this, wanted, pair = context_.reports.profiles()](const std::stop_token& stop) {
        const TileId tile = tileOrFullest(pair, wanted, stop);
        Sides sides{tileAddresses(*pair.source, tile, overTime_, stop)};
        if (pair.comparing())
            sides[1] = tileAddresses(*pair.target, tile, overTime_, stop);
        return [this, tile, sides = std::move(sides)]() mutable {
            std::vector<LegendBar::Entry> entries;
            for (const MemoryCategory category : memoryCategories)
                if (std::any_of(sides.begin(), sides.end(), [&](const auto& side) {
                        return side && std::any_of(side->blocks.begin(), side->blocks.end(),
                                                   [&](const MapBlock& block) {
                                                       return block.category == category;
                                                   });
                    }))
                    entries.push_back({textOf(displayName(category)),
                                       context_.theme.current().category(category)});
            legend_->setEntries(std::move(entries));
            show(tile, std::move(sides));
            followSelection();
        };
    });
}

AddressMapPage::AddressMapPage(ViewContext& context)
    : AddressPage(context, false)
    , onlyStep_(new QCheckBox(tr("Only what is live at the selected step"))) {
    auto* row = new QWidget;
    auto* rowLayout = new QHBoxLayout(row);
    rowLayout->setContentsMargins(0, 0, 0, 0);
    rowLayout->setSpacing(0);
    for (AddressMap*& map : maps_) {
        map = new AddressMap(context);
        rowLayout->addWidget(map, 1, Qt::AlignTop);
        connect(map, &AddressMap::hovered, this, &AddressPage::hovered);
    }
    // A variable of the target has no id in the selection.
    connect(maps_[0], &AddressMap::variableClicked, this, &AddressMapPage::variableClicked);
    QScrollArea* scroll = scrolled(row);
    scroll->setFocusPolicy(Qt::NoFocus);
    QWidget* page = tabPage();
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->setSpacing(4);
    auto* options = new QHBoxLayout;
    options->setContentsMargins(12, 0, 12, 0);
    options->addWidget(onlyStep_);
    options->addStretch();
    options->addWidget(
        textLabel(tr("Hatched: gaps. Blue addresses: interleaved memory."), "muted"));
    layout->addLayout(options);
    layout->addWidget(scroll, 1);
    layout->addWidget(legend());
    setContent(page);
    connect(onlyStep_, &QCheckBox::toggled, this, &AddressMapPage::followSelection);
}

void AddressMapPage::show(TileId tile, Sides sides) {
    const bool comparing = context().reports.profiles().comparing();
    for (std::size_t side = 0; side < sides.size(); ++side) {
        maps_[side]->setVisible(sides[side].has_value());
        if (!sides[side])
            continue;
        const QString title = addressTitle(tile, *sides[side], context().preferences);
        maps_[side]->setContent(std::move(*sides[side]),
                                ofSide(comparing, side, QStringLiteral(" \u00b7 "), title));
    }
}

void AddressMapPage::followSelection() {
    const Selected& selected = context().selection.current();
    onlyStep_->setEnabled(selected.step.valid());
    onlyStep_->setText(selected.step.valid()
                           ? tr("Only what is live at step %1").arg(selected.step.value())
                           : tr("Only what is live at the selected step (none is)"));
    maps_[0]->setSelected(selected.variable);
    maps_[0]->setStep(onlyStep_->isChecked() ? selected.step : StepId());
}

AddressHistoryPage::AddressHistoryPage(ViewContext& context)
    : AddressPage(context, true) {
    QWidget* page = tabPage();
    auto* column = new PlotColumn;
    for (AddressHistory*& plot : plots_) {
        plot = new AddressHistory(context, zoom_);
        column->add(plot, plot);
        connect(plot, &PlotWidget::hovered, this, &AddressPage::hovered);
    }
    inColumn(page, {column, legend()}, column);
    setContent(page);
    connect(plots_[0], &AddressHistory::chosen, this, [&context](VariableId variable, StepId step) {
        context.selection.update([&](Selected& s) {
            s.variable = variable;
            s.step = step;
        });
    });
}

void AddressHistoryPage::show(TileId tile, Sides sides) {
    std::size_t steps = 0;
    std::int64_t highest = 0;
    for (const auto& side : sides) {
        steps = std::max(steps, side ? side->stepNames.size() : 0);
        highest = std::max(highest, side ? side->highest() : 0);
    }
    if (steps == 0)
        return showMessage(tr("This profile has no program steps"),
                           tr("Its program is empty: there is nothing to be live at."));
    const bool comparing = context().reports.profiles().comparing();
    for (std::size_t side = 0; side < sides.size(); ++side) {
        plots_[side]->setVisible(sides[side].has_value());
        if (sides[side])
            plots_[side]->setContent(
                std::move(*sides[side]),
                ofSide(comparing, side, QStringLiteral(", "), tr("tile %1").arg(tile.value())),
                highest);
    }
    // One axis of steps serves both.
    plots_[0]->showSteps(!comparing);
    if (zoom_.last() != static_cast<double>(steps))
        zoom_.setLimits(0, static_cast<double>(steps), 4);
}

void AddressHistoryPage::followSelection() {
    const Selected& selected = context().selection.current();
    plots_[0]->setSelected(selected.variable, selected.step);
}

} // namespace tilescope::views
