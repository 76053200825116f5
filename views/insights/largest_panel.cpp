#include "views/insights/largest_panel.h"

#include <QComboBox>
#include <QSpinBox>

#include "core/analysis/memory/summary.h"
#include "core/report/item_tables.h"
#include "views/tables/profile_tables.h"
#include "views/tables/table_panel.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {
namespace {

constexpr int tableHeight = 300; // pixels: ten rows with their heading and the filter

QStringList kindTitles() {
    return {LargestPanel::tr("Variables at the peak"), LargestPanel::tr("Always-live variables"),
            LargestPanel::tr("Vertex state"), LargestPanel::tr("Vertex code"),
            LargestPanel::tr("Exchange code")};
}

std::vector<SizedPart> partsOf(const ProfileView& profile, PartKind kind,
                               const TileSelection& selection, const std::stop_token& stop) {
    return largestParts(profile, kind, fittedTo(profile.machine(), selection), stop);
}

TileId fullestTile(const ProfileView& profile, const std::stop_token& stop) {
    return summariseMemory(profile.machine(), *profile.tileMemory(stop), {}).maxTileId;
}

} // namespace

LargestPanel::LargestPanel(ViewContext& context, QWidget* parent)
    : Card(tr("Largest parts"), parent)
    , context_(context)
    , tools_(new ToolRow)
    , number_(new QSpinBox)
    , table_(new TablePanel(context, tr("Filter parts")))
    , query_(context.workers) {
    kind_ = tools_->addChoice(tr("Kind"), kindTitles());
    scope_ = tools_->addChoice(tr("On"), {tr("Whole model"), tr("IPU"), tr("Tile")});
    number_->setAccessibleName(tr("Number of the IPU or tile"));
    number_->setToolTip(tr("Which IPU, or which tile of the whole device"));
    number_->setKeyboardTracking(false);
    tools_->add(number_);
    tools_->addStretch();
    addWidget(tools_);
    table_->setFixedHeight(tableHeight);
    addWidget(table_);
    connect(kind_, &QComboBox::activated, this, &LargestPanel::load);
    connect(scope_, &QComboBox::activated, this, &LargestPanel::changeScope);
    connect(number_, &QSpinBox::valueChanged, this, &LargestPanel::load);
    connect(table_, &TablePanel::activated, this, &LargestPanel::follow);
    connect(&query_, &BackgroundQuery::failed, this,
            [this](const QString& text) { table_->showHint(tr("Cannot read"), text); });
    number_->hide();
}

void LargestPanel::setProfiles(const ProfilePair& profiles) {
    profiles_ = profiles;
    fullest_ = {};
    scope_->setCurrentIndex(static_cast<int>(Scope::Model));
    number_->hide();
    load();
}

LargestPanel::Scope LargestPanel::scope() const {
    return static_cast<Scope>(scope_->currentIndex());
}

TileSelection LargestPanel::selection() const {
    const auto number = static_cast<std::int32_t>(number_->value());
    switch (scope()) {
    case Scope::Ipu:
        return TileSelection::ofIpu(IpuId(number));
    case Scope::Tile:
        return TileSelection::ofTile(TileId(number));
    case Scope::Model:
        break;
    }
    return TileSelection::all();
}

void LargestPanel::changeScope() {
    if (!profiles_.source)
        return;
    number_->setVisible(scope() != Scope::Model);
    const Target& machine = profiles_.source->machine();
    const std::int32_t fullest = std::max(0, fullest_.value());
    const bool ipus = scope() == Scope::Ipu;
    const QSignalBlocker blocker(number_);
    number_->setRange(0, (ipus ? machine.ipus : machine.totalTiles()) - 1);
    number_->setValue(ipus ? fullest / std::max(1, machine.tilesPerIpu) : fullest);
    load();
}

void LargestPanel::load() {
    if (!profiles_.source)
        return;
    const auto kind = allPartKinds.at(static_cast<std::size_t>(kind_->currentIndex()));
    query_.start([this, pair = profiles_, kind, selection = selection()](
                     const std::stop_token& stop) -> BackgroundQuery::Deliver {
        std::vector<SizedPart> source = partsOf(*pair.source, kind, selection, stop);
        Table table = partsTable(kind, selection, source);
        if (pair.comparing())
            table =
                comparedByName("Name", Unit::Bytes, namedValues(table, "bytes"),
                               namedValues(partsTable(kind, selection,
                                                      partsOf(*pair.target, kind, selection, stop)),
                                           "bytes"));
        const TileId fullest = fullestTile(*pair.source, stop);
        return [this, fullest, source = std::move(source), table = std::move(table)]() mutable {
            fullest_ = fullest;
            ofSource_ = std::move(source);
            table_->setTable(std::move(table));
        };
    });
}

void LargestPanel::follow(std::int32_t row) {
    if (row >= 0 && static_cast<std::size_t>(row) < ofSource_.size())
        emit followed(ofSource_[static_cast<std::size_t>(row)].link);
}

} // namespace tilescope::views
