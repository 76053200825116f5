#include "views/plot/trace/trace_plottable.h"

#include <algorithm>
#include <utility>

namespace tilescope::views {
namespace {
constexpr int narrowestText = 26;
constexpr int lowestText = 13;
constexpr int momentRadius = 4;    // where a moment's flag is met, in pixels to either side
constexpr double momentCloth = 10; // pixels

/// The first of sorted ranges that ends after a cycle.
auto firstAfter(const std::vector<CycleRange>& ranges, std::int64_t cycle) {
    return std::partition_point(ranges.begin(), ranges.end(),
                                [&](const CycleRange& range) { return range.end <= cycle; });
}

bool touches(const std::vector<CycleRange>& ranges, std::int64_t begin, std::int64_t end) {
    const auto range = firstAfter(ranges, begin);
    return range != ranges.end() && range->begin < end;
}

/// The step of a row that runs in these cycles, or none (nullptr).
const TraceBox* stepIn(const TraceRow& row, const CycleRange& cycles) {
    const TraceBox* box = boxAt(row, static_cast<double>(cycles.begin));
    const bool isIt = box != nullptr && box->look == TraceBox::Look::Step &&
                      (box->steps > 1 || (box->begin == cycles.begin && box->end == cycles.end));
    return isIt ? box : nullptr;
}
} // namespace

TracePlottable::TracePlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const ThemeSource& theme)
    : Plottable(keyAxis, valueAxis)
    , theme_(theme) {}

void TracePlottable::setOverview(Lanes lanes) {
    overview_ = std::move(lanes);
    detail_.reset();
    rows_ = {};
    for (std::size_t i = 0; overview_ && i < overview_->size(); ++i) {
        rows_.keys.push_back((*overview_)[i].key);
        rows_.rows.push_back(std::max<std::size_t>((*overview_)[i].rows.size(), 1));
    }
}

TracePlottable::Lanes TracePlottable::setDetail(Lanes lanes, double from, double to) {
    Lanes before = std::exchange(detail_, std::move(lanes));
    detailFrom_ = from;
    detailTo_ = to;
    // A flame has as many rows as its deepest name in sight. Lanes out of sight keep their height:
    // otherwise scrolling would move what is being scrolled.
    for (std::size_t i = 0; detail_ && i < std::min(detail_->size(), rows_.rows.size()); ++i)
        if (!(*detail_)[i].rows.empty())
            rows_.rows[i] =
                std::max({(*overview_)[i].rows.size(), (*detail_)[i].rows.size(), std::size_t{1}});
    return before;
}

void TracePlottable::setHighlight(const QString& text) {
    highlight_ = text;
    plainHighlight_.clear();
    const bool plain =
        std::all_of(text.begin(), text.end(), [](QChar letter) { return letter.unicode() < 128; });
    if (plain)
        plainHighlight_ = text.toLower().toStdString();
}

void TracePlottable::setSelected(SelectedSteps steps) {
    selected_ = std::move(steps);
}

const std::vector<CycleRange>* TracePlottable::on(const SelectedSteps& steps,
                                                  std::size_t lane) const {
    const auto found = steps.find(rows_.keys[lane]);
    return found == steps.end() ? nullptr : &found->second;
}

// Boxes that a search does not find, or that are not selected, are dimmed.
QRgb TracePlottable::shade(const TraceBox& box, QRgb colour, std::size_t lane, QRgb surface) const {
    constexpr double notFound = 0.75;
    constexpr double notSelected = 0.55;
    constexpr double repeated = 0.4;
    if (box.ghost)
        colour = mixedColours(colour, surface, repeated);
    const SelectedSteps& bright = followed_.empty() ? selected_ : followed_;
    if (!bright.empty()) {
        const std::vector<CycleRange>* ranges = on(bright, lane);
        if (ranges == nullptr || !touches(*ranges, box.begin, box.end))
            colour = mixedColours(colour, surface, notSelected);
    }
    if (box.counted < 1)
        colour = mixedColours(colour, surface, notFound * (1 - static_cast<double>(box.counted)));
    if (box.look == TraceBox::Look::Step && !highlighted(box.name))
        colour = mixedColours(colour, surface, notFound);
    return colour;
}

std::vector<QRectF> TracePlottable::selectedBoxes() const {
    constexpr double narrowest = 3; // pixels
    std::vector<QRectF> places;
    if (!overview_ || selected_.empty())
        return places;
    const QCPRange range = keyAxis()->range();
    const bool inDetail = detailed(range.lower, range.upper);
    const QRectF plot = clipRect();
    for (const LanePlace& place : layout_.places) {
        const std::vector<CycleRange>* ranges = on(selected_, place.lane);
        if (ranges == nullptr || !layout_.inSight(place, plot.height()))
            continue;
        for (std::size_t row = 0; row < place.rows; ++row) {
            const TraceRow* boxes = rowToShow(place, row, inDetail);
            if (boxes == nullptr)
                continue;
            const double top = plot.top() + place.top + static_cast<double>(row) * place.rowHeight;
            for (const CycleRange& cycles : *ranges) {
                const TraceBox* box = stepIn(*boxes, cycles);
                if (box == nullptr || static_cast<double>(cycles.end) < range.lower ||
                    static_cast<double>(cycles.begin) > range.upper)
                    continue;
                // In a box of many steps only the selected one is outlined.
                const double left = keyAxis()->coordToPixel(
                    static_cast<double>(std::max(box->begin, cycles.begin)));
                const double right =
                    keyAxis()->coordToPixel(static_cast<double>(std::min(box->end, cycles.end)));
                const double width = std::max(narrowest, right - left);
                places.emplace_back((left + right - width) / 2, top, width, place.rowHeight);
            }
        }
    }
    return places;
}

// Called for every box of a frame: ASCII texts take a fast path.
bool TracePlottable::highlighted(const std::string& name) const {
    if (highlight_.isEmpty())
        return true;
    if (plainHighlight_.empty())
        return QString::fromStdString(name).contains(highlight_, Qt::CaseInsensitive);
    const auto lower = [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    };
    return std::search(name.begin(), name.end(), plainHighlight_.begin(), plainHighlight_.end(),
                       [&](char a, char b) { return lower(a) == b; }) != name.end();
}

double TracePlottable::rowMiddle(std::size_t lane, std::size_t row) const {
    const LanePlace* place = layout_.of(lane);
    return place == nullptr ? -1 : place->top + (static_cast<double>(row) + 0.5) * place->rowHeight;
}

bool TracePlottable::detailed(double from, double to) const {
    return detail_ && overview_ && detail_->size() == overview_->size() && from >= detailFrom_ &&
           to <= detailTo_;
}

const TraceRow* TracePlottable::rowToShow(const LanePlace& place, std::size_t row,
                                          bool detailed) const {
    const TraceLane& coarse = (*overview_)[place.lane];
    if (place.folded)
        return detailed && !(*detail_)[place.lane].folded.boxes.empty()
                   ? &(*detail_)[place.lane].folded
                   : &coarse.folded;
    const TraceLane& lane =
        detailed && !(*detail_)[place.lane].rows.empty() ? (*detail_)[place.lane] : coarse;
    return row < lane.rows.size() ? &lane.rows[row] : nullptr;
}

TracePlottable::Hit TracePlottable::hit(double cycle, double y) const {
    const LanePlace* place = overview_ ? layout_.at(y) : nullptr;
    if (place == nullptr || y >= place->bottom())
        return {};
    const auto row = static_cast<std::size_t>((y - place->top) / place->rowHeight);
    const TraceRow* boxes = rowToShow(*place, row, detailed(cycle, cycle));
    if (boxes == nullptr)
        return {place->lane, nullptr, row};
    const double near = momentRadius * keyAxis()->range().size() / std::max(1, clipRect().width());
    const TraceBox* moment =
        (*overview_)[place->lane].channels.empty() ? nullptr : momentNear(*boxes, cycle, near);
    return {place->lane, moment != nullptr ? moment : boxAt(*boxes, cycle), row};
}

void TracePlottable::draw(QCPPainter* painter) {
    if (!overview_)
        return;
    painter->setAntialiasing(false);
    std::vector<Named> names;
    // Vector graphics get single boxes.
    if (painter->modes().testFlag(QCPPainter::pmVectorized))
        layOutRows(
            names,
            [&](const QRect& rect, QRgb colour) {
                painter->fillRect(rect, QColor::fromRgb(colour));
            },
            [](int, int) {});
    else
        drawImage(*painter, names);
    drawMoments(*painter);
    drawNames(*painter, names);
}

// A flag of a few pixels, however many cycles a pixel has: a pole, and a cloth to its right.
void TracePlottable::drawMoments(QCPPainter& painter) const {
    const QCPRange range = keyAxis()->range();
    const bool inDetail = detailed(range.lower, range.upper);
    const QRectF plot = clipRect();
    const BoxColours colours(theme_.current(), colourBy_);
    for (const LanePlace& place : layout_.places) {
        if ((*overview_)[place.lane].channels.empty() || !layout_.inSight(place, plot.height()))
            continue;
        for (std::size_t row = 0; row < place.rows; ++row) {
            const TraceRow* boxes = rowToShow(place, row, inDetail);
            if (boxes == nullptr)
                continue;
            const double top = plot.top() + place.top + static_cast<double>(row) * place.rowHeight;
            double free = plot.left() - momentRadius; // moments on one pixel are one mark
            for (const TraceBox& box : boxes->boxes) {
                const double x = keyAxis()->coordToPixel(static_cast<double>(box.begin));
                if (!box.moment || x < free || x > plot.right() + momentRadius)
                    continue;
                free = x + 1;
                const double foot = top + place.rowHeight - 1;
                const double cloth = std::max(3.0, std::min(momentCloth, place.rowHeight / 2));
                painter.setPen(theme_.current().text);
                painter.setBrush(QColor::fromRgb(colours.of(box).colour));
                painter.drawPolygon(QPolygonF({QPointF(x, top), QPointF(x + cloth, top + cloth / 2),
                                               QPointF(x, top + cloth)}));
                painter.setBrush(Qt::NoBrush);
                painter.drawLine(QPointF(x, top), QPointF(x, foot));
            }
        }
    }
}

// Many thousand boxes are faster filled into an image than painted one by one: each row as one line
// of pixels, which is then copied down.
void TracePlottable::drawImage(QCPPainter& painter, std::vector<Named>& names) {
    const QRect plot = clipRect();
    if (plot.isEmpty())
        return;
    if (image_.size() != plot.size())
        image_ = QImage(plot.size(), QImage::Format_ARGB32_Premultiplied);
    image_.fill(Qt::transparent);
    auto* const pixels = reinterpret_cast<QRgb*>(image_.bits());
    const std::ptrdiff_t stride = image_.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    const auto lineAt = [&](int y) { return pixels + (y - plot.top()) * stride; };
    layOutRows(
        names,
        [&](const QRect& wanted, QRgb colour) {
            const QRect rect = wanted.intersected(plot);
            if (!rect.isEmpty())
                std::fill_n(lineAt(rect.top()) + (rect.left() - plot.left()), rect.width(), colour);
        },
        [&](int top, int bottom) {
            const int first = std::max(top, plot.top());
            for (int y = first + 1; y < std::min(bottom, plot.bottom() + 1); ++y)
                std::copy_n(lineAt(first), plot.width(), lineAt(y));
        });
    painter.drawImage(plot.topLeft(), image_);
}

template <class Fill, class Filled>
void TracePlottable::layOutRows(std::vector<Named>& names, const Fill& fill,
                                const Filled& filled) const {
    const QCPRange range = keyAxis()->range();
    const bool inDetail = detailed(range.lower, range.upper);
    const QRect plot = clipRect();
    const BoxColours colours(theme_.current(), colourBy_);
    const int pinnedEnd = plot.top() + qRound(layout_.pinnedHeight);
    for (const LanePlace& place : layout_.places) {
        if (!layout_.inSight(place, plot.height()))
            continue;
        // Scrolled lanes disappear below pinned ones.
        const int highest = place.pinned ? plot.top() : pinnedEnd;
        const int lowest = place.pinned ? pinnedEnd : plot.bottom() + 1;
        for (std::size_t row = 0; row < place.rows; ++row) {
            const double y = place.top + static_cast<double>(row) * place.rowHeight;
            const int top = std::max(plot.top() + qRound(y), highest);
            const int bottom = std::min(plot.top() + qRound(y + place.rowHeight) - 1, lowest);
            const TraceRow* boxes = rowToShow(place, row, inDetail);
            if (bottom <= top || boxes == nullptr)
                continue;
            layOutRow(*boxes, place.lane, top, bottom, colours, names, fill);
            filled(top, bottom);
        }
    }
}

template <class Fill>
void TracePlottable::layOutRow(const TraceRow& row, std::size_t lane, int top, int bottom,
                               const BoxColours& colours, std::vector<Named>& names,
                               const Fill& fill) const {
    const QCPRange range = keyAxis()->range();
    const QRect plot = clipRect();
    const BoxPaints paints = [&](const TraceBox& box) {
        BoxPaint paint = colours.of(box);
        paint.colour = shade(box, paint.colour, lane, colours.surface());
        return paint;
    };
    for (const BoxOnScreen& place :
         boxesOnScreen(row, range.lower, range.upper, plot.width(), paints, true)) {
        const QRgb colour = mixedColours(place.colour, colours.surface(), 1 - place.coverage);
        const QRect rect(plot.left() + place.x0, top, place.x1 - place.x0, bottom - top);
        fill(rect, colour);
        const TraceBox& box = row.boxes[place.box];
        if (showsNames_ && rect.width() >= narrowestText && rect.height() >= lowestText &&
            !box.name.empty())
            names.push_back({&box, rect, colour});
    }
}

void TracePlottable::drawNames(QCPPainter& painter, const std::vector<Named>& names) {
    // A letter and an ellipsis do not identify anything.
    constexpr std::size_t fewest = 2;
    constexpr int margin = 4;
    for (const Named& named : names) {
        const std::string_view name = named.box->name;
        painter.setPen(Theme::textOn(QColor::fromRgb(named.back)));
        // The end of a path is more useful than its beginning, which is in the boxes above.
        const auto elide =
            name.find('/') == std::string_view::npos ? Qt::ElideRight : Qt::ElideLeft;
        textFor(named.rect.height())
            .draw(painter, named.rect.adjusted(margin, 0, -margin, 0), name, elide, fewest);
    }
}

/// Rows are of one height in nearly all plots, so one font is remembered.
const QuickText& TracePlottable::textFor(int rowHeight) {
    constexpr int lineSpace = 4;
    const QFont plotFont = parentPlot()->font();
    if (text_ && rowHeight == textRow_ && plotFont == textOf_)
        return *text_;
    textRow_ = rowHeight;
    textOf_ = plotFont;
    QFont font = plotFont;
    if (QFontInfo(font).pixelSize() > rowHeight - lineSpace)
        font.setPixelSize(rowHeight - lineSpace);
    return text_.emplace(font);
}

} // namespace tilescope::views
