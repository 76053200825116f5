#include "views/values/heat_pane.h"

#include <algorithm>

#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

std::vector<ValueTensorId> tensorsOfSide(const ValuesContent& content, bool target) {
    std::vector<ValueTensorId> tensors;
    for (const ValuePair& pair : content.pairs)
        tensors.push_back(target ? pair.target : pair.source);
    return tensors;
}

} // namespace

HeatPane::HeatPane(ViewContext& context, ZoomRange& zoom, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , title_(wrappedLabel({}, "heading"))
    , panel_(new LoadingPanel(context.workers)) {
    setObjectName(QStringLiteral("tabPage"));
    setAttribute(Qt::WA_StyledBackground);
    title_->setContentsMargins(10, 6, 10, 0);
    QWidget* plots = tabPage();
    row_ = new QHBoxLayout(plots);
    row_->setContentsMargins(0, 0, 0, 0);
    row_->setSpacing(0);
    for (const bool target : {false, true}) {
        Side& side = sides_[target ? 1 : 0];
        side.box = new QWidget;
        side.title = textLabel({}, "muted");
        side.title->setContentsMargins(10, 2, 10, 0);
        side.plot = new HeatPlot(context, zoom);
        side.plot->setReadOut([this, target](double x, double y) { return readOut(target, x, y); });
        inColumn(side.box, {side.title, side.plot});
        row_->addWidget(side.box, 1);
        connect(side.plot, &PlotWidget::hovered, this, &HeatPane::hovered);
        connect(side.plot, &HeatPlot::rowClicked, this, &HeatPane::pairChosen);
    }
    sides_[0].plot->setAccessibleName(tr("Heat map of values"));
    sides_[1].plot->setAccessibleName(tr("Heat map of values, target"));
    // Both show the same rows.
    const auto follow = [this](HeatPlot& leader, HeatPlot& follower) {
        connect(&leader.rows(), &ZoomRange::changed, this, [&leader, &follower] {
            if (leader.rows().last() == follower.rows().last())
                follower.rows().setRange(leader.rows().from(), leader.rows().to());
        });
    };
    follow(*sides_[0].plot, *sides_[1].plot);
    follow(*sides_[1].plot, *sides_[0].plot);
    panel_->setContent(plots);
    inColumn(this, {title_, panel_});
}

void HeatPane::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    constexpr int shareOfNames = 4; // of the pane's width, as one part of so many
    for (const Side& side : sides_)
        side.plot->setNamesRoom(std::min(HeatPlot::mostNamesRoom, width() / shareOfNames));
    shareRoom();
}

// Cells of both are equally wide; the names beside the source's take width from both.
void HeatPane::shareRoom() {
    const int more = sides_[0].plot->left() - sides_[1].plot->left();
    const int half = (width() - more) / 2;
    row_->setStretch(0, std::max(1, half + more));
    row_->setStretch(1, std::max(1, half));
}

ValueTensorId HeatPane::tensorOf(int pair, bool target) const {
    const ValuePair& both = content_->pairs.at(static_cast<std::size_t>(pair));
    return target ? both.target : both.source;
}

void HeatPane::setContent(std::shared_ptr<const ValuesContent> content) {
    content_ = std::move(content);
    pair_ = -1;
    order_.clear();
    const QString keys = content_->trains() ? tr("Weight updates") : tr("Micro-batches");
    for (const Side& side : sides_) {
        side.plot->setKeyTitle(keys);
        side.title->setVisible(content_->comparing());
    }
    sides_[1].box->setVisible(content_->comparing());
}

void HeatPane::setPair(int pair) {
    if (pair == pair_)
        return;
    pair_ = pair;
    for (const Side& side : sides_)
        side.plot->setChosen(pair);
    if (!measure_)
        load();
}

void HeatPane::setMeasure(std::optional<ValueMeasure> measure) {
    measure_ = measure;
    load();
}

void HeatPane::setOrder(std::vector<int> order) {
    order_ = std::move(order);
    if (measure_)
        for (const Side& side : sides_)
            side.plot->setOrder(order_);
}

void HeatPane::load() {
    if (!content_)
        return;
    if (measure_)
        return loadTensors(*measure_);
    loadExponents();
}

void HeatPane::showTitles() {
    title_->setText(measure_ ? tr("%1 of the tensors in the table").arg(measureTitle(*measure_))
                             : tensorText(content_->tensorOf(pair_)));
    for (const bool target : {false, true}) {
        const bool lacks = !measure_ && !tensorOf(pair_, target).valid();
        const QString name = target ? tr("Target") : tr("Source");
        sides_[target ? 1 : 0].title->setText(lacks ? tr("%1: no such tensor").arg(name) : name);
    }
}

void HeatPane::loadExponents() {
    if (pair_ < 0) {
        title_->setText({});
        panel_->showMessage(tr("No tensor is selected"),
                            tr("Select one in the table below, or an operation in another "
                               "report."));
        return;
    }
    panel_->load([this, content = content_, pair = pair_](const std::stop_token&) {
        const ValuePair both = content->pairs.at(static_cast<std::size_t>(pair));
        ExponentAxis axis;
        axis.include(*content->source, both.source);
        if (content->comparing())
            axis.include(*content->target, both.target);
        HeatSide source = exponentSide(*content->source, both.source, axis);
        HeatSide target =
            content->comparing() ? exponentSide(*content->target, both.target, axis) : HeatSide();
        return [this, axis, source = std::move(source), target = std::move(target)]() mutable {
            axis_ = axis;
            showTitles();
            sides_[0].plot->showExponents(std::move(source), axis);
            sides_[1].plot->showExponents(std::move(target), axis);
            shareRoom();
        };
    });
}

void HeatPane::loadTensors(ValueMeasure measure) {
    panel_->load([this, content = content_, measure](const std::stop_token&) {
        HeatSide source = tensorSide(*content->source, tensorsOfSide(*content, false), measure);
        HeatSide target = content->comparing()
                              ? tensorSide(*content->target, tensorsOfSide(*content, true), measure)
                              : HeatSide();
        HeatScale scale = scaleOf(measure, source, target);
        return [this, scale, source = std::move(source), target = std::move(target)]() mutable {
            QStringList names;
            for (std::size_t i = 0; i < content_->pairs.size(); ++i)
                names << shownName(content_->tensorOf(static_cast<int>(i)).name, mostOfOne);
            showTitles();
            sides_[0].plot->showTensors(std::move(source), scale, names);
            sides_[1].plot->showTensors(std::move(target), scale, {});
            setOrder(order_);
            shareRoom();
        };
    });
}

QString HeatPane::readOut(bool target, double x, double y) const {
    const HeatPlot& plot = *sides_[target ? 1 : 0].plot;
    const HeatSide& side = plot.cells().side();
    const int column = side.columnAt(x);
    if (!content_ || column < 0)
        return {};
    const std::int64_t iteration = side.iterations[static_cast<std::size_t>(column)];
    const ProfileValues& values = target ? *content_->target : *content_->source;
    if (!plot.showsTensors())
        return pair_ < 0 ? QString()
                         : exponentText(values, tensorOf(pair_, target), iteration, axis_, y);
    const int row = plot.cells().rowAt(y);
    if (row < 0 || !measure_)
        return {};
    const double value =
        side.rows[static_cast<std::size_t>(row)].values[static_cast<std::size_t>(column)];
    return tr("%1\nIteration %2: %3")
        .arg(tensorText(content_->tensorOf(row)), QString::number(iteration),
             measureText(*measure_, value));
}

} // namespace tilescope::views
