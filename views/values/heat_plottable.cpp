#include "views/values/heat_plottable.h"

#include <algorithm>
#include <cmath>

namespace tilescope::views {
namespace {
constexpr std::size_t shades = 256;
constexpr int parted = 7; ///< least pixels of a tensor's row for a thin line between rows
} // namespace

HeatPlottable::HeatPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const ThemeSource& theme)
    : Plottable(keyAxis, valueAxis)
    , theme_(theme) {
    connect(&theme, &ThemeSource::changed, this, &HeatPlottable::makeColours);
    makeColours();
}

void HeatPlottable::setSide(HeatSide side, HeatScale scale) {
    side_ = std::move(side);
    scale_ = std::move(scale);
}

void HeatPlottable::setOrder(std::optional<std::vector<int>> order) {
    order_ = std::move(order);
}

void HeatPlottable::makeColours() {
    colours_.clear();
    for (std::size_t i = 0; i < shades; ++i)
        colours_.push_back(
            heatScaleColour(static_cast<double>(i) / (shades - 1), theme_.current()).rgb());
    nothing_ = noShareColour(theme_.current()).rgb();
}

QRgb HeatPlottable::shadeOf(double value) const {
    constexpr QRgb transparent = 0;
    if (std::isnan(value))
        return transparent;
    const double position = scale_.positionOf(value);
    return position < 0 ? nothing_
                        : colours_[static_cast<std::size_t>(std::lround(position * (shades - 1)))];
}

QColor HeatPlottable::colourOf(double value) const {
    const QRgb shade = shadeOf(value);
    return shade == 0 ? QColor() : QColor(shade);
}

int HeatPlottable::rowAt(double y) const {
    if (order_) {
        const auto place = static_cast<int>(std::floor(y));
        return place >= 0 && place < static_cast<int>(order_->size())
                   ? (*order_)[static_cast<std::size_t>(place)]
                   : -1;
    }
    for (std::size_t i = 0; i < side_.rows.size(); ++i)
        if (y >= side_.rows[i].from && y < side_.rows[i].to)
            return static_cast<int>(i);
    return -1;
}

HeatPlottable::Columns HeatPlottable::columnsOf(int left, int width) const {
    Columns columns{std::vector<int>(static_cast<std::size_t>(width), 0),
                    std::vector<int>(static_cast<std::size_t>(width), -1)};
    const auto count = static_cast<int>(side_.iterations.size());
    const double end = side_.columnStart(side_.iterations.size());
    for (int pixel = 0; pixel < width; ++pixel) {
        const double from = keyAxis()->pixelToCoord(left + pixel);
        const double to = keyAxis()->pixelToCoord(left + pixel + 1);
        if (count == 0 || to <= side_.columnStart(0) || from >= end)
            continue;
        const int first = std::max(0, side_.columnAt(from));
        const int next = side_.columnAt(to);
        // A column that begins within the pixel is seen in it.
        columns.first[static_cast<std::size_t>(pixel)] = first;
        columns.last[static_cast<std::size_t>(pixel)] =
            std::max(first, next < 0 ? count - 1 : next - 1);
    }
    return columns;
}

void HeatPlottable::paintRow(QCPPainter& painter, const HeatRow& values, const HeatRow& place,
                             const Columns& columns, QImage& line) const {
    const QRect area = clipRect();
    const auto pixelOf = [this](double y) {
        return static_cast<int>(std::lround(valueAxis()->coordToPixel(y)));
    };
    const int a = pixelOf(place.from);
    const int b = pixelOf(place.to);
    const int top = std::min(a, b);
    const bool hair = order_ && std::abs(b - a) >= parted;
    const int height = std::max(1, std::abs(b - a) - (hair ? 1 : 0));
    if (top > area.bottom() || top + height < area.top())
        return;
    auto* pixels = reinterpret_cast<QRgb*>(line.scanLine(0));
    int known = -1; // the pixel before has the same columns
    for (int x = 0; x < line.width(); ++x) {
        const auto at = static_cast<std::size_t>(x);
        if (known >= 0 && columns.first[at] == columns.first[static_cast<std::size_t>(known)] &&
            columns.last[at] == columns.last[static_cast<std::size_t>(known)]) {
            pixels[x] = pixels[known];
            continue;
        }
        double largest = std::numeric_limits<double>::quiet_NaN();
        for (int column = columns.first[at]; column <= columns.last[at]; ++column)
            largest = std::fmax(largest, values.values[static_cast<std::size_t>(column)]);
        pixels[x] = shadeOf(largest);
        known = x;
    }
    painter.drawImage(QRect(area.left(), top, line.width(), height), line,
                      QRect(0, 0, line.width(), 1));
}

void HeatPlottable::draw(QCPPainter* painter) {
    const QRect area = clipRect();
    if (side_.rows.empty() || area.width() <= 0)
        return;
    const Columns columns = columnsOf(area.left(), area.width());
    QImage line(area.width(), 1, QImage::Format_ARGB32);
    if (!order_) {
        for (const HeatRow& row : side_.rows)
            paintRow(*painter, row, row, columns, line);
        return;
    }
    const QCPRange range = valueAxis()->range();
    const int first = std::max(0, static_cast<int>(std::floor(range.lower)));
    const int last =
        std::min(static_cast<int>(order_->size()) - 1, static_cast<int>(std::ceil(range.upper)));
    for (int i = first; i <= last; ++i) {
        const auto row = static_cast<std::size_t>((*order_)[static_cast<std::size_t>(i)]);
        if (row < side_.rows.size())
            paintRow(*painter, side_.rows[row], {i + 0.0, i + 1.0, {}}, columns, line);
    }
}

} // namespace tilescope::views
