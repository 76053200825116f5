#include "views/execution/trace_tabs.h"

#include <QComboBox>
#include <QStandardItemModel>
#include <QTabBar>
#include <algorithm>

#include "views/plot/plot_widget.h"
#include "views/session/time_texts.h"
#include "views/widgets/parts.h"

namespace tilescope::views {

TraceTabs::TraceTabs(ViewContext& context)
    : context_(context)
    , statistics_(new StatisticsPanel(context))
    , inRange_(new RangePanel(context))
    , calls_(new CallsPanel(context))
    , step_(new StepPanel(context))
    , executions_(new ExecutionsPanel(context))
    , marks_(new MarksModel(this))
    , marksPanel_(new MarksPanel(*marks_))
    , record_(new RecordPanel(context))
    , range_(new RangeField(context))
    , colours_(new QComboBox) {
    setDocumentMode(true);
    constexpr int leastLines = 7; // of text, the tabs' heads included: in a low window lanes need
                                  // the room more
    setMinimumHeight(leastLines * fontMetrics().height());
    setCornerWidget(makeCorner());
    auto* scroll = scrolled(statistics_);
    scroll->setAccessibleName(tr("Statistics"));
    addTab(scroll, tr("Summary"));
    addTab(inRange_, tr("Range"));
    addTab(step_, tr("Details"));
    addTab(executions_, tr("Executions"));
    addTab(calls_, tr("Calls"));
    addTab(marksPanel_, tr("Marks"));
    addTab(record_, tr("Graphs"));
    showRecord({}, 0);
    showCalls({});
    connect(range_, &RangeField::refused, this, &TraceTabs::status);
    connect(record_, &RecordPanel::hovered, this, &TraceTabs::status);
    connect(marks_, &MarksModel::marksChanged, this, &TraceTabs::showCount);
    connect(marks_, &MarksModel::saved, this, [this](const QString& problem) {
        if (!problem.isEmpty())
            emit status(problem);
    });
}

// There is room beside the tabs, the first of which has the numbers of the range; a row above the
// plot would take height from the lanes.
QWidget* TraceTabs::makeCorner() {
    colours_->setAccessibleName(tr("Colour by"));
    colours_->addItems({tr("Kind"), tr("Operations"), tr("Tile balance"), tr("Exchange"),
                        tr("Pass"), tr("Micro-batch"), tr("Change")});
    colours_->setToolTip(tr("What the colours of boxes mean"));
    colours_->setItemData(1, tr("A colour for each type of operation"), Qt::ToolTipRole);
    colours_->setItemData(2, tr("Share of all tiles' time that is work"), Qt::ToolTipRole);
    colours_->setItemData(3, tr("Bytes that tiles receive in a cycle"), Qt::ToolTipRole);
    colours_->setItemData(4, tr("Forward and backward of a pipeline's stages"), Qt::ToolTipRole);
    colours_->setItemData(5, tr("A colour for each micro-batch of a pipeline's step"),
                          Qt::ToolTipRole);
    colours_->setItemData(6, tr("Cycles of the target as a share of the source's"),
                          Qt::ToolTipRole);
    setPossible(false, false);
    // As low as the field beside it.
    colours_->setStyleSheet(QStringLiteral("padding: 1px 7px;"));
    connect(colours_, &QComboBox::currentIndexChanged, this, &TraceTabs::coloursChanged);
    auto* corner = new QWidget;
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 1, PlotWidget::rightMargin, 1);
    const auto add = [row](const QString& name, QWidget* widget) {
        QLabel* label = textLabel(name, "muted");
        label->setBuddy(widget);
        row->addWidget(label);
        row->addWidget(widget);
    };
    add(tr("Colour by"), colours_);
    add(tr("Visible"), range_);
    return corner;
}

// The tabs take precedence: the controls beside them lose their labels first, then width.
void TraceTabs::fit(int width) {
    constexpr int narrowest = 120; // of the range, whose end can be scrolled to
    QWidget* corner = cornerWidget();
    const auto labels = corner->findChildren<QLabel*>();
    for (const bool shown : {true, false}) {
        for (QLabel* label : labels)
            label->setVisible(shown);
        range_->setMaximumWidth(QWIDGETSIZE_MAX);
        corner->layout()->invalidate();
        const int over =
            tabBar()->sizeHint().width() + corner->layout()->sizeHint().width() - width;
        if (over <= 0)
            return;
        if (!shown)
            range_->setMaximumWidth(std::max(narrowest, range_->sizeHint().width() - over));
    }
}

void TraceTabs::showRecord(std::shared_ptr<const HostRecord> record, double clockHz) {
    record_->setRecord(std::move(record), clockHz);
    setTabVisible(indexOf(record_), record_->hasGraphs());
}

void TraceTabs::showCalls(const Hosts& hosts) {
    setTabVisible(indexOf(calls_), CallsPanel::isPossible(hosts));
}

void TraceTabs::setPossible(bool pipelined, bool comparing) {
    auto& items = *qobject_cast<QStandardItemModel*>(colours_->model());
    const auto set = [&](ColourBy by, bool possible) {
        items.item(static_cast<int>(by))->setEnabled(possible);
        if (!possible && colours() == by)
            setColours(ColourBy::Kind);
    };
    set(ColourBy::Pass, pipelined);
    set(ColourBy::MicroBatch, pipelined);
    set(ColourBy::Change, comparing);
}

void TraceTabs::showCount() {
    const int count = marks_->rowCount();
    setTabText(indexOf(marksPanel_), count == 0 ? tr("Marks") : tr("Marks (%1)").arg(count));
}

// A range needs a text of its own to be of use.
void TraceTabs::annotate(CycleRange range) {
    const int row =
        marks_->add({static_cast<double>(range.begin), tr("Range %1").arg(marks_->rowCount() + 1),
                     static_cast<double>(range.cycles())});
    setCurrentWidget(marksPanel_);
    marksPanel_->editText(row);
}

void TraceTabs::load(const TraceQuestion& question, const std::optional<CycleRange>& selected) {
    const ZoomRange& zoom = context_.timeZoom;
    const CycleRange range = selected.value_or(wholeCycles(zoom, zoom.from(), zoom.to()));
    const QString title = selected                              ? tr("Selected range")
                          : zoom.showsAll() && zoom.first() < 0 ? tr("Compilation and execution")
                          : zoom.showsAll()                     ? tr("Whole execution")
                                                                : tr("Visible range");
    const double clock = std::max(1.0, executedOf(question.profiles)->machine().clockHz);
    const QString cycles = (question.axis.aligned() ? tr(": aligned cycles %1 to %2, %3")
                                                    : tr(": cycles %1 to %2, %3"))
                               .arg(countText(range.begin), countText(range.end),
                                    durationText(static_cast<double>(range.cycles()) / clock));
    statistics_->load(question, range, title + cycles);
    inRange_->load(question, range, title + cycles);
    calls_->load(question, range);
}

} // namespace tilescope::views
