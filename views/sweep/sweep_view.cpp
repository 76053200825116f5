#include "views/sweep/sweep_view.h"

#include <QComboBox>
#include <QFileInfo>
#include <QPushButton>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "views/session/time_texts.h"
#include "views/sweep/front_plot.h"
#include "views/sweep/heat_map_widget.h"
#include "views/tables/table_panel.h"
#include "views/theme/text.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/parts.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {
namespace {

QString capitalised(QString words) {
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    return words;
}

/// All points with what they have, ids are points of the grid.
Table pointTable(const SweepResults& results) {
    Table table{"points", "Points", {}};
    for (const SweepAxis& axis : results.grid.axes())
        table.columns.push_back({axis.key, axis.key});
    table.columns.push_back({"result", "Result"});
    table.columns.push_back({"throughput", "Samples/s", Unit::Rate});
    table.columns.push_back({"cycles", "Cycles of a run", Unit::Cycles});
    table.columns.push_back({"maxTileBytes", "Fullest tile", Unit::Bytes});
    table.columns.push_back({"totalBytes", "Memory of all tiles", Unit::Bytes});
    for (std::size_t point = 0; point < results.points.size(); ++point) {
        const auto& result = results.points[point];
        Row& row = table.add({}, static_cast<std::int32_t>(point));
        for (const std::string& value : results.grid.valuesAt(point))
            row.cells.emplace_back(value);
        const std::string_view status = shortStatus(result);
        row.cells.emplace_back(std::string(status.empty() ? "fits" : status));
        const bool timed = result && result->time;
        row.cells.push_back(timed ? Cell(result->time->throughput) : Cell());
        row.cells.push_back(timed ? Cell(result->time->cycles) : Cell());
        const bool placed = result && result->memory;
        row.cells.push_back(placed ? Cell(result->memory->maxTileIncludingGaps) : Cell());
        row.cells.push_back(placed ? Cell(result->memory->totalIncludingGaps) : Cell());
    }
    return table;
}

} // namespace

SweepView::SweepView(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , panel_(new LoadingPanel(context.workers, About::Other))
    , title_(textLabel({}, "heading"))
    , otherAxes_(new ToolRow)
    , map_(new HeatMapWidget(context))
    , front_(new FrontPlot(context))
    , table_(new TablePanel(context, tr("Filter points"), About::Other))
    , details_(wrappedLabel({}, ""))
    , open_(new QPushButton(tr("Open profile")))
    , compare_(new QPushButton(tr("Compare the two"))) {
    title_->setWordWrap(true);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(14, 10, 14, 12);
    column->setSpacing(8);
    column->addWidget(title_);
    column->addWidget(makeControls());
    auto* pictures = splitOf(Qt::Horizontal, map_, front_, 1, 1);
    column->addWidget(splitOf(Qt::Vertical, pictures, table_, 3, 2), 1);
    auto* bottom = new QHBoxLayout;
    details_->setObjectName("details");
    bottom->addWidget(details_, 1);
    bottom->addWidget(open_);
    bottom->addWidget(compare_);
    column->addLayout(bottom);
    panel_->setContent(content);
    inColumn(this, {panel_});
    connect(map_, &HeatMapWidget::cellsChosen, this, &SweepView::showDetails);
    connect(map_, &HeatMapWidget::activated, this, &SweepView::openCell);
    connect(front_, &FrontPlot::chosen, this, &SweepView::showPoint);
    connect(table_, &TablePanel::chosen, this, [this](std::int32_t point) {
        if (point >= 0)
            showPoint(static_cast<std::size_t>(point));
    });
    connect(table_, &TablePanel::activated, this,
            [this](std::int32_t) { openCell(map_->current()); });
    connect(open_, &QPushButton::clicked, this, [this] { openCell(map_->current()); });
    connect(compare_, &QPushButton::clicked, this, &SweepView::compareCells);
    connect(&context_.preferences, &Preferences::unitsChanged, this, &SweepView::showDetails);
}

QWidget* SweepView::makeControls() {
    auto* controls = new ToolRow;
    QStringList values;
    for (const SweepValue value : sweepValues)
        values << capitalised(textOf(displayName(value)));
    values_ = controls->addChoice(tr("Show"), values);
    rows_ = controls->addChoice(tr("Rows"), {});
    columns_ = controls->addChoice(tr("Columns"), {});
    for (QWidget* row : {static_cast<QWidget*>(controls), static_cast<QWidget*>(otherAxes_)})
        row->layout()->setContentsMargins(0, 0, 0, 0);
    auto* others = new QWidget; // its row is replaced with the axes
    auto* around = new QHBoxLayout(others);
    around->setContentsMargins(0, 0, 0, 0);
    around->addWidget(otherAxes_);
    controls->add(others);
    controls->addStretch();
    auto* again = controls->addButton(tr("Reload"), tr("A sweep that is under way adds points"));
    connect(again, &QToolButton::clicked, this, &SweepView::reload);
    connect(values_, &QComboBox::currentIndexChanged, this, &SweepView::showMap);
    for (QComboBox* box : {rows_, columns_})
        connect(box, &QComboBox::currentIndexChanged, this, &SweepView::fillAxes);
    return controls;
}

void SweepView::open(const std::filesystem::path& path) {
    file_ = sweepFileOf(path);
    results_.reset();
    reload();
}

void SweepView::reload() {
    panel_->load([this, file = file_](const std::stop_token&) {
        auto results = std::make_shared<SweepResults>(readSweep(file));
        return [this, results] { setResults(std::move(*results)); };
    });
}

void SweepView::setResults(SweepResults results) {
    const bool same = results_ && results_->grid.axes() == results.grid.axes();
    results_ = std::move(results);
    std::size_t fits = 0;
    std::size_t done = 0;
    for (const auto& point : results_->points) {
        fits += point && point->status == PointStatus::Fits ? 1 : 0;
        done += point ? 1 : 0;
    }
    title_->setText(tr("%1: %2 of %3 points done, %4 fit")
                        .arg(textOf(results_->identity.model))
                        .arg(done)
                        .arg(results_->points.size())
                        .arg(fits));
    if (!same) {
        const QSignalBlocker blockRows(rows_);
        const QSignalBlocker blockColumns(columns_);
        rows_->clear();
        columns_->clear();
        for (const SweepAxis& axis : results_->grid.axes()) {
            rows_->addItem(textOf(axis.key));
            columns_->addItem(textOf(axis.key));
        }
        columns_->setCurrentIndex(std::min(1, columns_->count() - 1));
        const bool several = results_->grid.axes().size() > 1;
        rows_->setEnabled(several);
        columns_->setEnabled(several);
    }
    std::vector<QString> names;
    for (std::size_t point = 0; point < results_->points.size(); ++point)
        names.push_back(shownName(results_->grid.nameOf(point)));
    front_->setPoints(frontPoints(*results_), std::move(names));
    table_->setTable(pointTable(*results_));
    fillAxes();
}

void SweepView::showPoint(std::size_t point) {
    if (!results_ || point >= results_->points.size())
        return;
    for (const auto& [axis, box] : positions_)
        box->setCurrentIndex(static_cast<int>(results_->grid.positionOn(axis, point)));
    const auto cell = std::find(points_.begin(), points_.end(), point);
    if (cell != points_.end())
        map_->setCurrent(static_cast<int>(cell - points_.begin()));
}

// The axes that are neither rows nor columns are each at one value.
void SweepView::fillAxes() {
    if (!results_)
        return;
    const auto& axes = results_->grid.axes();
    if (axes.size() > 1 && rows_->currentIndex() == columns_->currentIndex()) {
        // Whichever the user changed keeps its choice; the other makes room.
        QComboBox* other = sender() == rows_ ? columns_ : rows_;
        const QSignalBlocker block(other);
        other->setCurrentIndex((other->currentIndex() + 1) % other->count());
    }
    positions_.clear();
    QWidget* others = otherAxes_->parentWidget();
    delete otherAxes_;
    otherAxes_ = new ToolRow;
    otherAxes_->layout()->setContentsMargins(0, 0, 0, 0);
    others->layout()->addWidget(otherAxes_);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const int at = static_cast<int>(axis);
        if (at == rows_->currentIndex() || at == columns_->currentIndex())
            continue;
        QStringList values;
        for (const std::string& value : axes[axis].values)
            values << textOf(value);
        QComboBox* box = otherAxes_->addChoice(textOf(axes[axis].key), values);
        connect(box, &QComboBox::currentIndexChanged, this, &SweepView::showMap);
        positions_.emplace_back(axis, box);
    }
    showMap();
}

SweepMapOptions SweepView::options() const {
    SweepMapOptions options;
    options.value = sweepValues.at(static_cast<std::size_t>(std::max(0, values_->currentIndex())));
    options.rowAxis = static_cast<std::size_t>(std::max(0, rows_->currentIndex()));
    options.columnAxis = static_cast<std::size_t>(std::max(0, columns_->currentIndex()));
    options.positions.assign(results_->grid.axes().size(), 0);
    for (const auto& [axis, box] : positions_)
        options.positions[axis] = static_cast<std::size_t>(std::max(0, box->currentIndex()));
    return options;
}

QString SweepView::format(double value) const {
    const SweepValue kind =
        sweepValues.at(static_cast<std::size_t>(std::max(0, values_->currentIndex())));
    if (unitOf(kind) == "bytes")
        return context_.preferences.bytes(std::llround(value));
    return kind == SweepValue::Throughput ? QString::fromStdString(formatRate(value))
                                          : countText(std::llround(value));
}

void SweepView::showMap() {
    if (!results_)
        return;
    const SweepMapOptions chosen = options();
    SweepMap map = sweepMap(*results_, chosen);
    points_ = std::move(map.points);
    map_->setMap(
        std::move(map.map), [this](double value) { return format(value); },
        lessIsBetter(chosen.value));
    showDetails();
}

QString SweepView::profileOf(int cell) const {
    if (!results_ || cell < 0)
        return {};
    return profileOf(results_->points.at(points_.at(static_cast<std::size_t>(cell))));
}

QStringList SweepView::keptProfiles() const {
    QStringList files;
    if (results_)
        for (const auto& result : results_->points)
            if (const QString file = profileOf(result); !file.isEmpty())
                files << file;
    return files;
}

QString SweepView::profileOf(const std::optional<PointResult>& result) const {
    if (!result || result->profile.empty())
        return {};
    const std::filesystem::path profile = file_.parent_path() / result->profile;
    const QString path = QString::fromStdString(profile.string());
    return QFileInfo::exists(path) ? path : QString();
}

QString SweepView::describe(int cell) const {
    const std::size_t point = points_.at(static_cast<std::size_t>(cell));
    const auto& result = results_->points.at(point);
    QString line = textOf(results_->grid.nameOf(point));
    if (!result)
        return tr("%1: not run yet").arg(line);
    if (result->memory)
        line += tr(": fullest tile %1, always live %2, peak not always live %3")
                    .arg(context_.preferences.bytes(result->memory->maxTileIncludingGaps),
                         context_.preferences.bytes(result->memory->alwaysLive),
                         context_.preferences.bytes(result->memory->maxNotAlwaysLive));
    if (result->time)
        line +=
            tr(", %1 samples/s").arg(QString::fromStdString(formatRate(result->time->throughput)));
    if (result->status != PointStatus::Fits)
        line += QStringLiteral(". ") + textOf(result->message);
    return line;
}

void SweepView::showDetails() {
    if (!results_ || map_->current() < 0) {
        details_->clear();
        return;
    }
    const int current = map_->current();
    const int marked = map_->marked();
    const std::size_t point = points_.at(static_cast<std::size_t>(current));
    front_->setCurrent(static_cast<std::int64_t>(point));
    table_->selectId(static_cast<std::int32_t>(point));
    QStringList lines{describe(current)};
    if (marked >= 0)
        lines.prepend(tr("Marked: %1").arg(describe(marked)));
    const bool kept = !profileOf(current).isEmpty();
    if (!kept)
        lines << tr("No profile was kept of this point: run the sweep again with --keep-profiles.");
    else if (marked < 0)
        lines << tr("Shift-click another cell to compare this one with it; Space marks this one.");
    details_->setText(lines.join(QLatin1Char('\n')));
    open_->setEnabled(kept);
    compare_->setEnabled(kept && marked >= 0 && !profileOf(marked).isEmpty() && marked != current);
}

void SweepView::openCell(int cell) {
    if (const QString profile = profileOf(cell); !profile.isEmpty())
        emit profilesWanted({profile});
}

void SweepView::compareCells() {
    const QString source = profileOf(map_->marked());
    const QString target = profileOf(map_->current());
    if (!source.isEmpty() && !target.isEmpty())
        emit profilesWanted({source, target});
}

} // namespace tilescope::views
