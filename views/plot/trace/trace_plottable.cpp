#include "views/plot/trace/trace_plottable.h"

#include <algorithm>

namespace tilescope::views {
namespace {
constexpr int narrowestText = 26;
constexpr int lowestText = 13;

/// `share` of the way from one opaque colour to another.
QRgb mixedColours(QRgb a, QRgb b, double share) {
    const auto mix = [share](int x, int y) { return static_cast<int>(x + (y - x) * share); };
    return qRgb(mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b)));
}
} // namespace

TracePlottable::TracePlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const ThemeSource& theme)
    : QCPAbstractPlottable(keyAxis, valueAxis)
    , theme_(theme) {
    setAntialiased(false);
    setSelectable(QCP::stNone);
    removeFromLegend();
}

void TracePlottable::setOverview(Lanes lanes) {
    overview_ = std::move(lanes);
    detail_.reset();
    rowCounts_.clear();
    for (std::size_t i = 0; overview_ && i < overview_->size(); ++i)
        rowCounts_.push_back(std::max<std::size_t>((*overview_)[i].rows.size(), 1));
}

void TracePlottable::setDetail(Lanes lanes, double from, double to) {
    detail_ = std::move(lanes);
    detailFrom_ = from;
    detailTo_ = to;
    // A flame has as many rows as its deepest name in sight. A lane that is out of sight keeps what
    // it had, or scrolling would move what is being scrolled.
    for (std::size_t i = 0; detail_ && i < std::min(detail_->size(), rowCounts_.size()); ++i)
        if (!(*detail_)[i].rows.empty())
            rowCounts_[i] = std::max({(*overview_)[i].rows.size(), (*detail_)[i].rows.size(),
                                      std::size_t{1}});
}

void TracePlottable::setHighlight(const QString& text) {
    highlight_ = text;
}

std::size_t TracePlottable::rowsOf(std::size_t lane) const {
    return rowCounts_[lane];
}

double TracePlottable::laneTop(std::size_t lane) const {
    double top = 0;
    for (std::size_t i = 0; i < lane; ++i)
        top += static_cast<double>(rowsOf(i)) + laneGap;
    return top;
}

double TracePlottable::rowCount() const {
    return overview_ ? laneTop(overview_->size()) : 0;
}

bool TracePlottable::detailed(double from, double to) const {
    return detail_ && overview_ && detail_->size() == overview_->size() && from >= detailFrom_ &&
           to <= detailTo_;
}

const TraceLane& TracePlottable::laneToShow(std::size_t lane, bool detailed) const {
    return detailed && !(*detail_)[lane].rows.empty() ? (*detail_)[lane] : (*overview_)[lane];
}

TracePlottable::LaneRange TracePlottable::lanesWithin(double from, double to) const {
    LaneRange range;
    double top = 0;
    for (std::size_t lane = 0; overview_ && lane < overview_->size() && top <= to; ++lane) {
        const double bottom = top + static_cast<double>(rowsOf(lane));
        if (bottom <= from)
            range.first = lane + 1;
        range.end = lane + 1;
        top = bottom + laneGap;
    }
    return range;
}

TracePlottable::Hit TracePlottable::hit(double cycle, double row) const {
    if (!overview_)
        return {};
    const auto [lane, end] = lanesWithin(row, row);
    if (lane >= end)
        return {};
    const std::vector<TraceRow>& rows = laneToShow(lane, detailed(cycle, cycle)).rows;
    const double within = row - laneTop(lane);
    if (within < 0 || within >= static_cast<double>(rows.size()))
        return {};
    return {lane, boxAt(rows[static_cast<std::size_t>(within)], cycle)};
}

QCPRange TracePlottable::getKeyRange(bool& found, QCP::SignDomain) const {
    found = false;
    return {};
}

QCPRange TracePlottable::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
    found = overview_ != nullptr;
    return {0, rowCount()};
}

// Many thousand boxes are faster filled into an image than painted one by one; files of lines and
// texts get boxes.
void TracePlottable::draw(QCPPainter* painter) {
    if (!overview_)
        return;
    painter->setAntialiasing(false);
    std::vector<Named> names;
    const QRect plot = clipRect();
    if (painter->modes().testFlag(QCPPainter::pmVectorized)) {
        layOutRows(names, [&](const QRect& rect, QRgb colour) {
            painter->fillRect(rect, QColor::fromRgb(colour));
        });
    } else {
        QImage image(plot.size(), QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        layOutRows(names, [&](const QRect& wanted, QRgb colour) {
            const QRect rect = wanted.intersected(plot).translated(-plot.topLeft());
            for (int y = rect.top(); y <= rect.bottom(); ++y)
                std::fill_n(reinterpret_cast<QRgb*>(image.scanLine(y)) + rect.left(), rect.width(),
                            colour);
        });
        painter->drawImage(plot.topLeft(), image);
    }
    for (const Named& named : names)
        drawText(painter, named);
}

template <class Fill>
void TracePlottable::layOutRows(std::vector<Named>& names, const Fill& fill) const {
    const QCPRange range = keyAxis()->range();
    const bool inDetail = detailed(range.lower, range.upper);
    const QRect plot = clipRect();
    const Palette palette = makePalette();
    const auto [firstLane, endLane] =
        lanesWithin(valueAxis()->range().lower, valueAxis()->range().upper);
    for (std::size_t lane = firstLane; lane < endLane; ++lane) {
        const double first = laneTop(lane);
        const std::vector<TraceRow>& rows = laneToShow(lane, inDetail).rows;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const double value = first + static_cast<double>(row);
            const int top = qRound(valueAxis()->coordToPixel(value));
            const int bottom = qRound(valueAxis()->coordToPixel(value + 1));
            if (bottom >= plot.top() && top <= plot.bottom())
                layOutRow(rows[row], top, bottom - 1, palette, names, fill);
        }
    }
}

QRgb TracePlottable::Palette::of(const TraceBox& box) const {
    return boxes[static_cast<std::size_t>(box.look) * programKinds.size() +
                 static_cast<std::size_t>(box.kind)];
}

TracePlottable::Palette TracePlottable::makePalette() const {
    const Theme& theme = theme_.current();
    Palette palette;
    palette.surface = theme.surface.rgb();
    for (const ProgramKind kind : programKinds) {
        const auto put = [&](TraceBox::Look look, const QColor& colour) {
            palette.boxes[static_cast<std::size_t>(look) * programKinds.size() +
                          static_cast<std::size_t>(kind)] = colour.rgb();
        };
        put(TraceBox::Look::Run, mixed(theme.text, theme.surface, theme.dark ? 0.62 : 0.18));
        put(TraceBox::Look::Group,
            mixed(theme.kind(kind), theme.surface, theme.dark ? 0.5 : 0.55));
        put(TraceBox::Look::Step, theme.kind(kind));
    }
    return palette;
}

template <class Fill>
void TracePlottable::layOutRow(const TraceRow& row, int top, int bottom, const Palette& palette,
                               std::vector<Named>& names, const Fill& fill) const {
    const QCPRange range = keyAxis()->range();
    const QRect plot = clipRect();
    for (const BoxOnScreen& place : boxesOnScreen(row, range.lower, range.upper, plot.width())) {
        const TraceBox& box = row.boxes[place.box];
        QRgb colour = palette.of(box);
        const bool dimmed =
            !highlight_.isEmpty() && box.look == TraceBox::Look::Step &&
            (box.name.empty() ||
             !QString::fromStdString(box.name).contains(highlight_, Qt::CaseInsensitive));
        if (dimmed)
            colour = mixedColours(colour, palette.surface, 0.75);
        // A pixel that is mostly empty is pale, but always to be seen.
        constexpr double palest = 0.7;
        if (place.coverage < 1)
            colour = mixedColours(colour, palette.surface, std::min(palest, 1 - place.coverage));
        const QRect rect(plot.left() + place.x0, top, place.x1 - place.x0, bottom - top);
        fill(rect, colour);
        // A hair of background parts neighbours of one colour.
        if (rect.width() > 4)
            fill(QRect(rect.right(), rect.top(), 1, rect.height()), palette.surface);
        if (showsNames_ && rect.width() >= narrowestText && rect.height() >= lowestText &&
            !box.name.empty())
            names.push_back({&box, rect, colour});
    }
}

void TracePlottable::drawText(QCPPainter* painter, const Named& named) const {
    const TraceBox& box = *named.box;
    const QRect& rect = named.rect;
    const QRect inner = rect.adjusted(4, 0, -4, 0);
    painter->setPen(Theme::textOn(QColor::fromRgb(named.back)));
    QFont font = parentPlot()->font();
    constexpr int lineSpace = 4;
    if (QFontInfo(font).pixelSize() > rect.height() - lineSpace)
        font.setPixelSize(rect.height() - lineSpace);
    painter->setFont(font);
    // The end of a path says more than its begin, which the boxes above have said already.
    const auto elide = box.name.find('/') == std::string::npos ? Qt::ElideRight : Qt::ElideLeft;
    const QString text =
        painter->fontMetrics().elidedText(QString::fromStdString(box.name), elide, inner.width());
    // A letter and dots name nothing.
    constexpr qsizetype shortest = 3;
    if (text.size() < shortest && static_cast<std::size_t>(text.size()) < box.name.size())
        return;
    painter->drawText(inner, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
}

} // namespace tilescope::views
