#include "views/memory/address_pages.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <algorithm>

#include "views/memory/address_content.h"

namespace tilescope::views {
namespace {

std::vector<LegendBar::Entry> legendOf(const std::vector<MemoryCategory>& categories,
                                       const Theme& theme) {
    std::vector<LegendBar::Entry> entries;
    for (const MemoryCategory category : categories)
        entries.push_back(
            {QString::fromStdString(std::string(displayName(category))), theme.category(category)});
    return entries;
}

QString sideName(const ProfilePair& pair, int side) {
    if (!pair.comparing())
        return {};
    return side == 0 ? LoadingPanel::tr("Source") : LoadingPanel::tr("Target");
}

} // namespace

AddressMapPage::AddressMapPage(ViewContext& context, QWidget* parent)
    : LoadingPanel(context.workers, parent)
    , context_(context)
    , onlyStep_(new QCheckBox(tr("Only what is live at the selected step")))
    , legend_(new LegendBar(context)) {
    auto* row = new QWidget;
    auto* rowLayout = new QHBoxLayout(row);
    rowLayout->setContentsMargins(0, 0, 0, 0);
    rowLayout->setSpacing(0);
    for (AddressMap*& map : maps_) {
        map = new AddressMap(context);
        rowLayout->addWidget(map, 1, Qt::AlignTop);
        connect(map, &AddressMap::hovered, this, &AddressMapPage::hovered);
    }
    // A variable of the target has no id in the selection.
    connect(maps_[0], &AddressMap::variableClicked, this, &AddressMapPage::variableClicked);
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(row);
    auto* page = new QWidget;
    page->setObjectName(QStringLiteral("tabPage"));
    page->setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->setSpacing(4);
    auto* options = new QHBoxLayout;
    options->setContentsMargins(12, 0, 12, 0);
    options->addWidget(onlyStep_);
    options->addStretch();
    auto* key = new QLabel(tr("Hatched: gaps. Blue addresses: interleaved memory."));
    key->setObjectName(QStringLiteral("muted"));
    options->addWidget(key);
    layout->addLayout(options);
    layout->addWidget(scroll, 1);
    layout->addWidget(legend_);
    setContent(page);
    connect(onlyStep_, &QCheckBox::toggled, this, &AddressMapPage::followSelection);
}

void AddressMapPage::loadTile(TileId tile) {
    load([this, wanted = tile, pair = context_.reports.profiles()](const std::stop_token& stop) {
        const TileId tile = tileOrFullest(pair, wanted, stop);
        std::optional<AddressMap::Content> contents[2];
        contents[0] = addressMapContent(*pair.source, tile, stop);
        if (pair.comparing())
            contents[1] = addressMapContent(*pair.target, tile, stop);
        return [this, tile, pair,
                contents = std::array{std::move(contents[0]), std::move(contents[1])}]() mutable {
            std::vector<MapBlock> all;
            for (int side = 0; side < 2; ++side) {
                auto& content = contents[static_cast<std::size_t>(side)];
                maps_[side]->setVisible(content.has_value());
                if (!content)
                    continue;
                all.insert(all.end(), content->blocks.begin(), content->blocks.end());
                content->title =
                    addressTitle(tile, sideName(pair, side), *content, context_.preferences);
                maps_[side]->setContent(std::move(*content));
            }
            legend_->setEntries(legendOf(categoriesOf(all), context_.theme.current()));
            followSelection();
        };
    });
}

void AddressMapPage::followSelection() {
    const Selected& selected = context_.selection.current();
    onlyStep_->setEnabled(selected.step.valid());
    onlyStep_->setText(selected.step.valid()
                           ? tr("Only what is live at step %1").arg(selected.step.value())
                           : tr("Only what is live at the selected step (none is)"));
    maps_[0]->setSelected(selected.variable);
    maps_[0]->setStep(onlyStep_->isChecked() ? selected.step : StepId());
}

AddressHistoryPage::AddressHistoryPage(ViewContext& context, QWidget* parent)
    : LoadingPanel(context.workers, parent)
    , context_(context)
    , legend_(new LegendBar(context)) {
    auto* page = new QWidget;
    page->setObjectName(QStringLiteral("tabPage"));
    page->setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (AddressHistory*& plot : plots_) {
        plot = new AddressHistory(context, zoom_);
        layout->addWidget(plot, 1);
        connect(plot, &PlotWidget::hovered, this, &AddressHistoryPage::hovered);
    }
    layout->addWidget(legend_);
    setContent(page);
    connect(plots_[0], &AddressHistory::chosen, this, [this](VariableId variable, StepId step) {
        context_.selection.update([&](Selected& s) {
            s.variable = variable;
            s.step = step;
        });
    });
}

void AddressHistoryPage::loadTile(TileId tile) {
    load([this, wanted = tile, pair = context_.reports.profiles()](const std::stop_token& stop) {
        const TileId tile = tileOrFullest(pair, wanted, stop);
        std::optional<AddressHistoryContent> contents[2];
        contents[0] = addressHistoryContent(*pair.source, tile, stop);
        if (pair.comparing())
            contents[1] = addressHistoryContent(*pair.target, tile, stop);
        return [this, tile, pair,
                contents = std::array{std::move(contents[0]), std::move(contents[1])}]() mutable {
            std::vector<MapBlock> all;
            std::size_t steps = 0;
            std::int64_t highest = 0;
            for (const auto& content : contents) {
                steps = std::max(steps, content ? content->stepNames.size() : 0);
                highest = std::max(highest, content ? content->highest() : 0);
            }
            if (steps == 0)
                return showMessage(tr("This profile has no program steps"),
                                   tr("Its program is empty: there is nothing to be live at."));
            for (int side = 0; side < 2; ++side) {
                auto& content = contents[static_cast<std::size_t>(side)];
                plots_[side]->setVisible(content.has_value());
                if (!content)
                    continue;
                all.insert(all.end(), content->blocks.begin(), content->blocks.end());
                const QString name = sideName(pair, side);
                const QString text = tr("tile %1").arg(tile.value());
                plots_[side]->setContent(
                    std::move(*content),
                    name.isEmpty() ? text : QStringLiteral("%1, %2").arg(name, text), highest);
            }
            if (zoom_.last() != static_cast<double>(steps))
                zoom_.setLimits(0, static_cast<double>(steps), 4);
            legend_->setEntries(legendOf(categoriesOf(all), context_.theme.current()));
            followSelection();
        };
    });
}

void AddressHistoryPage::followSelection() {
    const Selected& selected = context_.selection.current();
    plots_[0]->setSelected(selected.variable, selected.step);
}

} // namespace tilescope::views
