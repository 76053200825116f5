#include "views/execution/executions_panel.h"

#include <QLabel>
#include <QPainter>
#include <algorithm>

#include "views/execution/step_flows.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

constexpr int mostColumns = 60;

std::vector<std::int64_t> columnsOf(const StepDurations& durations, std::int64_t least,
                                    std::int64_t most) {
    const auto span = static_cast<double>(most - least);
    const auto count =
        static_cast<std::size_t>(std::clamp<std::int64_t>(most - least + 1, 1, mostColumns));
    std::vector<std::int64_t> columns(count);
    for (const StepDurations::Bin& bin : durations.bins) {
        const double share =
            span > 0 ? (static_cast<double>(bin.least) / 2 + static_cast<double>(bin.most) / 2 -
                        static_cast<double>(least)) /
                           span
                     : 0;
        const auto at =
            static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(count));
        columns[std::min(at, count - 1)] += bin.count;
    }
    return columns;
}

QString sideName(bool target) {
    return target ? ExecutionsPanel::tr("Target") : ExecutionsPanel::tr("Source");
}

} // namespace

DurationHistogram::DurationHistogram(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setAccessibleName(tr("Executions by cycles"));
    setMinimumHeight(70);
}

void DurationHistogram::showDurations(const StepDurations& source, const StepDurations& target,
                                      double clockHz) {
    clockHz_ = clockHz;
    const StepDurations& first = source.empty() ? target : source;
    least_ = first.least();
    most_ = first.most();
    if (!target.empty()) {
        least_ = std::min(least_, target.least());
        most_ = std::max(most_, target.most());
    }
    columns_ = {columnsOf(source, least_, most_), columnsOf(target, least_, most_)};
    highest_ = 0;
    for (const std::vector<std::int64_t>& of : columns_)
        for (const std::int64_t count : of)
            highest_ = std::max(highest_, count);
    update();
}

QRect DurationHistogram::area() const {
    const int line = fontMetrics().height();
    const int left = fontMetrics().horizontalAdvance(countText(highest_)) + 18;
    return rect().adjusted(left, line / 2 + 2, -18, -(line + 8));
}

QString DurationHistogram::cyclesAt(std::size_t column) const {
    const auto count = static_cast<double>(columns_[0].size());
    const auto width = static_cast<double>(most_ - least_) / count;
    const auto from = least_ + std::llround(width * static_cast<double>(column));
    const auto to = least_ + std::llround(width * static_cast<double>(column + 1));
    const QString begin = context().preferences.cycles(from, clockHz_);
    return from == to ? begin
                      : tr("%1 to %2").arg(begin, context().preferences.cycles(to, clockHz_));
}

QString DurationHistogram::toolTipAt(const QPoint& position) const {
    const QRect plot = area();
    if (highest_ == 0 || !plot.contains(position))
        return {};
    const std::size_t column = static_cast<std::size_t>(position.x() - plot.left()) *
                               columns_[0].size() / static_cast<std::size_t>(plot.width());
    QStringList lines{cyclesAt(column)};
    for (const bool target : {false, true}) {
        const std::int64_t count = columns_.at(target ? 1 : 0).at(column);
        if (count > 0)
            lines << tr("%1: executions %2").arg(sideName(target), countText(count));
    }
    return lines.join(QLatin1Char('\n'));
}

void DurationHistogram::paintColumns(QPainter& painter, const QRect& plot) const {
    const auto count = static_cast<double>(columns_[0].size());
    const auto place = [&](std::size_t of, std::size_t column) {
        constexpr double least = 2; // pixels: a single execution among millions is seen
        const std::int64_t executions = columns_[of][column];
        const double height =
            executions == 0 ? 0
                            : std::max(least, plot.height() * static_cast<double>(executions) /
                                                  static_cast<double>(highest_));
        const double left = plot.left() + plot.width() * static_cast<double>(column) / count;
        constexpr double widest = 48; // pixels: few different lengths are no wall
        const double right = std::min(
            left + widest, plot.left() + plot.width() * static_cast<double>(column + 1) / count);
        return QRectF(left, plot.bottom() + 1 - height, right - left, height);
    };
    for (std::size_t column = 0; column < columns_[0].size(); ++column)
        painter.fillRect(place(0, column).adjusted(0, 0, -1, 0), theme().source);
    painter.setPen(QPen(theme().target, 2));
    QPolygonF line;
    bool any = false;
    for (std::size_t column = 0; column < columns_[1].size(); ++column) {
        const QRectF box = place(1, column);
        any = any || box.height() > 0;
        line << box.topLeft() << box.topRight();
    }
    if (any)
        painter.drawPolyline(line);
}

void DurationHistogram::paintAxis(QPainter& painter, const QRect& plot) const {
    painter.setPen(theme().border);
    painter.drawLine(plot.bottomLeft() + QPoint(0, 1), plot.bottomRight() + QPoint(0, 1));
    painter.setPen(theme().mutedText);
    const int line = fontMetrics().height();
    const QRect below(plot.left(), plot.bottom() + 5, plot.width(), line);
    painter.drawText(below, Qt::AlignLeft, context().preferences.cycles(least_, clockHz_));
    if (most_ > least_)
        painter.drawText(below, Qt::AlignRight, context().preferences.cycles(most_, clockHz_));
    const auto beside = [&](int y, const QString& text) {
        painter.drawText(QRect(0, y - line / 2, plot.left() - 6, line),
                         Qt::AlignRight | Qt::AlignVCenter, text);
    };
    beside(plot.top(), countText(highest_));
    beside(plot.bottom(), countText(0));
}

void DurationHistogram::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    const QRect plot = area();
    if (highest_ == 0 || plot.height() < 8 || plot.width() < 8)
        return;
    paintColumns(painter, plot);
    paintAxis(painter, plot);
}

ExecutionsPanel::ExecutionsPanel(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , query_(context.workers)
    , figures_(new QLabel)
    , histogram_(new DurationHistogram(context))
    , links_(new QLabel) {
    figures_->setAccessibleName(tr("Figures of the executions"));
    figures_->setTextFormat(Qt::PlainText);
    links_->setAccessibleName(tr("Longest executions"));
    links_->setTextFormat(Qt::RichText);
    for (QLabel* label : {figures_, links_}) {
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop); // there may be nothing below it
        label->setContentsMargins(10, 4, 10, 4);
        label->setTextInteractionFlags(Qt::TextBrowserInteraction);
    }
    auto* content = new QWidget;
    inColumn(content, {figures_, histogram_, links_}, histogram_);
    auto* area = scrolled(content); // the tabs of a low window are lower
    area->setAccessibleName(tr("Executions"));
    inColumn(this, {area});
    connect(links_, &QLabel::linkActivated, this, [this](const QString& link) {
        const bool target = link.startsWith(QLatin1String("target:"));
        const std::int64_t step = stepOfLink(target ? link.mid(7) : link);
        if (step >= 0)
            emit stepWanted(step, target);
    });
    clear();
}

void ExecutionsPanel::clear() {
    query_.cancel();
    stale_ = false;
    profiles_ = {};
    program_ = {};
    figures_->setText(tr("Click a step in the trace above: its executions are counted here."));
    histogram_->showDurations({}, {}, 0);
    histogram_->hide();
    links_->clear();
}

void ExecutionsPanel::load(const ProfilePair& profiles, ProgramId program, bool target) {
    if (program == program_ && target == target_ && profiles.source == profiles_.source &&
        profiles.target == profiles_.target)
        return;
    profiles_ = profiles;
    program_ = program;
    target_ = target;
    stale_ = true;
    if (isVisible())
        read();
}

void ExecutionsPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (stale_)
        read();
}

void ExecutionsPanel::read() {
    stale_ = false;
    if (!program_.valid())
        return;
    figures_->setText(tr("Counting…"));
    histogram_->showDurations({}, {}, 0);
    links_->clear();
    query_.start([this, profiles = profiles_, program = program_,
                  target = target_](const std::stop_token& stop) {
        return [this, read = readOf(profiles, program, target, stop)] { showRead(read); };
    });
}

ExecutionsPanel::Read ExecutionsPanel::readOf(const ProfilePair& profiles, ProgramId program,
                                              bool target, const std::stop_token& stop) {
    Read read;
    std::array<ProgramId, 2> programs;
    programs.at(target ? 1 : 0) = program;
    if (profiles.comparing()) {
        const auto matching = profiles.matching->programs(stop);
        programs.at(target ? 0 : 1) =
            target ? matching->sourceOf(program) : matching->targetOf(program);
    }
    for (const bool ofTarget : {false, true}) {
        const ProfileViewPtr& profile = profileOf(profiles, ofTarget);
        const ProgramId of = programs.at(ofTarget ? 1 : 0);
        if (!profile || !of.valid() || !profile->info().hasExecution)
            continue;
        read.clockHz.at(ofTarget ? 1 : 0) = profile->machine().clockHz;
        (ofTarget ? read.target : read.source) = stepDurations(*profile->trace(stop), of, stop);
        const auto all = profile->programs(stop);
        if (ofTarget == target && of.index() < all->size())
            read.name = shownName((*all)[of].name, mostOfOne);
    }
    return read;
}

void ExecutionsPanel::showRead(const Read& read) {
    histogram_->show();
    QStringList figures;
    QStringList links;
    const bool isPair = !read.source.empty() && !read.target.empty();
    for (const bool target : {false, true}) {
        const StepDurations& of = target ? read.target : read.source;
        if (of.empty())
            continue;
        const double clock = read.clockHz.at(target ? 1 : 0);
        const auto cycles = [&](std::int64_t value) {
            return context_.preferences.cycles(value, clock);
        };
        figures << tr("%1executions: %2 \u00b7 mean %3 \u00b7 median %4 \u00b7 99 of 100 within %5")
                       .arg(isPair                ? sideName(target) + QStringLiteral(": ")
                            : read.name.isEmpty() ? QString()
                                                  : read.name + QStringLiteral(": "),
                            countText(of.count),
                            cycles(of.cycles / std::max<std::int64_t>(1, of.count)),
                            cycles(of.quantile(0.5)), cycles(of.quantile(0.99)));
        QStringList longest;
        for (const StepDurations::Execution& each : of.longest)
            if (each.step >= 0)
                longest << QStringLiteral("<a href=\"%1step:%2\">%3</a>%4")
                               .arg(target ? QStringLiteral("target:") : QString())
                               .arg(each.step)
                               .arg(cycles(each.cycles).toHtmlEscaped(),
                                    each.count > 1
                                        ? QStringLiteral(" \u00d7 ") + countText(each.count)
                                        : QString());
        links << tr("%1longest: %2")
                     .arg(isPair ? sideName(target) + QStringLiteral(", ") : QString(),
                          longest.join(QStringLiteral(" \u00b7 ")));
    }
    figures_->setText(figures.isEmpty() ? tr("The step is not executed")
                                        : figures.join(QLatin1Char('\n')));
    links_->setText(links.join(QStringLiteral("<br>")));
    histogram_->showDurations(read.source, read.target,
                              read.clockHz[0] > 0 ? read.clockHz[0] : read.clockHz[1]);
}

} // namespace tilescope::views
