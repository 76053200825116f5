#include "views/plot/trace/trace_plottable.h"

#include <algorithm>
#include <utility>

namespace tilescope::views {
namespace {
constexpr int narrowestText = 26;
constexpr int lowestText = 13;
} // namespace

QRgb mixedColours(QRgb a, QRgb b, double share) {
    const auto mix = [share](int x, int y) { return static_cast<int>(x + (y - x) * share); };
    return qRgb(mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b)));
}

QColor groupColour(const Theme& theme, ProgramKind kind) {
    return mixed(theme.kind(kind), theme.surface, theme.dark ? 0.5 : 0.55);
}

TracePlottable::TracePlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const ThemeSource& theme)
    : Plottable(keyAxis, valueAxis)
    , theme_(theme) {}

void TracePlottable::setOverview(Lanes lanes) {
    overview_ = std::move(lanes);
    detail_.reset();
    rowCounts_.clear();
    for (std::size_t i = 0; overview_ && i < overview_->size(); ++i)
        rowCounts_.push_back(std::max<std::size_t>((*overview_)[i].rows.size(), 1));
}

TracePlottable::Lanes TracePlottable::setDetail(Lanes lanes, double from, double to) {
    Lanes before = std::exchange(detail_, std::move(lanes));
    detailFrom_ = from;
    detailTo_ = to;
    // A flame has as many rows as its deepest name in sight. A lane that is out of sight keeps what
    // it had, or scrolling would move what is being scrolled.
    for (std::size_t i = 0; detail_ && i < std::min(detail_->size(), rowCounts_.size()); ++i)
        if (!(*detail_)[i].rows.empty())
            rowCounts_[i] =
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

// Every box of a frame is asked for: texts without other letters than ASCII take a quick way.
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

double TracePlottable::laneTop(std::size_t lane) const {
    double top = 0;
    for (std::size_t i = 0; i < lane; ++i)
        top += static_cast<double>(rowCounts_[i]) + laneGap;
    return top;
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
        const double bottom = top + static_cast<double>(rowCounts_[lane]);
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

void TracePlottable::draw(QCPPainter* painter) {
    if (!overview_)
        return;
    painter->setAntialiasing(false);
    std::vector<Named> names;
    // Files of lines and texts get boxes.
    if (painter->modes().testFlag(QCPPainter::pmVectorized))
        layOutRows(
            names,
            [&](const QRect& rect, QRgb colour) {
                painter->fillRect(rect, QColor::fromRgb(colour));
            },
            [](int, int) {});
    else
        drawImage(*painter, names);
    drawNames(*painter, names);
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
            if (bottom < plot.top() || top > plot.bottom())
                continue;
            layOutRow(rows[row], top, bottom - 1, palette, names, fill);
            filled(top, bottom - 1);
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
        put(TraceBox::Look::Group, groupColour(theme, kind));
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
        if (box.look == TraceBox::Look::Step && !highlighted(box.name))
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

void TracePlottable::drawNames(QCPPainter& painter, const std::vector<Named>& names) {
    // A letter and dots name nothing.
    constexpr std::size_t fewest = 2;
    constexpr int margin = 4;
    for (const Named& named : names) {
        const std::string_view name = named.box->name;
        painter.setPen(Theme::textOn(QColor::fromRgb(named.back)));
        // The end of a path says more than its begin, which the boxes above have said already.
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
