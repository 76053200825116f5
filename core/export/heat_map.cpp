#include "core/export/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <set>

#include "core/base/error.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

using Colour = HeatColour;

// The cividis map (Nunez, Anderton and Renslow, 2018) at ninths: made for readers with and without
// colour vision deficiency, its lightness grows evenly.
constexpr std::array<Colour, 10> cividis{{{0x00, 0x20, 0x4D},
                                          {0x00, 0x33, 0x6F},
                                          {0x39, 0x48, 0x6B},
                                          {0x57, 0x5C, 0x6D},
                                          {0x70, 0x71, 0x73},
                                          {0x8A, 0x87, 0x79},
                                          {0xA6, 0x9D, 0x75},
                                          {0xC4, 0xB5, 0x6C},
                                          {0xE4, 0xCF, 0x5B},
                                          {0xFF, 0xEA, 0x46}}};

std::string hex(const Colour& colour) {
    return fmt::format("#{:02x}{:02x}{:02x}", static_cast<int>(std::lround(colour.red)),
                       static_cast<int>(std::lround(colour.green)),
                       static_cast<int>(std::lround(colour.blue)));
}

/// White text on dark cells, black on light ones.
const char* inkOn(const Colour& colour) {
    const double lightness = 0.299 * colour.red + 0.587 * colour.green + 0.114 * colour.blue;
    return lightness < 125 ? "#ffffff" : "#1a1a1a";
}

/// Text for XML; control characters are not allowed in it.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text)
        switch (c) {
        case '&':
            result += "&amp;";
            break;
        case '<':
            result += "&lt;";
            break;
        case '>':
            result += "&gt;";
            break;
        case '"':
            result += "&quot;";
            break;
        default:
            result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    return result;
}

/// Round numbers within [low, high], about five of them.
std::vector<double> ticksBetween(double low, double high) {
    if (!(high > low))
        return {low};
    const double rough = (high - low) / 5;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double factor = rough / power;
    const double step = power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10);
    std::vector<double> ticks;
    for (double tick = std::ceil(low / step) * step; tick <= high + step * 1e-9; tick += step)
        ticks.push_back(std::abs(tick) < step * 1e-9 ? 0 : tick);
    return ticks;
}

struct Range {
    double low = 0;
    double high = 0;
    bool any = false;
    [[nodiscard]] double share(double value) const {
        return high > low ? (value - low) / (high - low) : 1;
    }
};

Range rangeOf(const std::vector<HeatMapCell>& cells) {
    Range range;
    for (const HeatMapCell& cell : cells)
        if (cell.value) {
            range.low = range.any ? std::min(range.low, *cell.value) : *cell.value;
            range.high = range.any ? std::max(range.high, *cell.value) : *cell.value;
            range.any = true;
        }
    return range;
}

std::size_t longest(const std::vector<std::string>& texts) {
    std::size_t length = 1;
    for (const std::string& text : texts)
        length = std::max(length, text.size());
    return length;
}

// Lengths in pixels of the picture.
constexpr double margin = 24;
constexpr double headHeight = 84; ///< title, subtitle and the name of the columns
constexpr double characterWidth = 6.6;
constexpr double legendBarWidth = 16;
constexpr double legendWidth = 170;
constexpr double hatchSpacing = 7;
constexpr double swatchHeight = 13;
constexpr int scaleSlices = 64;
constexpr double leastHeight = 330; ///< of the picture, so that the legend has room

/// Cells are as large as their text needs, and smaller in a large grid.
double cellLength(std::size_t count, double wanted, double total) {
    return std::clamp(std::floor(total / static_cast<double>(count)), 3.0, wanted);
}

class Painter {
public:
    explicit Painter(const HeatMap& map)
        : map_(map)
        , range_(rangeOf(map.cells))
        , cellWidth_(cellLength(map.columns.size(), wantedCellWidth(map), 1600))
        , cellHeight_(cellLength(map.rows.size(), 30, 1200))
        , left_(margin + 30 + characterWidth * static_cast<double>(longest(map.rows)))
        , right_(left_ + cellWidth_ * static_cast<double>(map.columns.size()))
        , bottom_(headHeight + margin + cellHeight_ * static_cast<double>(map.rows.size()))
        , labels_(labelsOf(map))
        , cellsHaveTexts_(cellHeight_ >= 14 &&
                          6 + characterWidth * static_cast<double>(longest(cellTexts(map))) <=
                              cellWidth_) {}

    std::string paint() {
        head();
        axes();
        cells();
        legend();
        out_ += "</svg>\n";
        return std::move(out_);
    }

private:
    static double wantedCellWidth(const HeatMap& map) {
        return std::max({58.0, 16 + characterWidth * static_cast<double>(longest(map.columns)),
                         14 + characterWidth * static_cast<double>(longest(cellTexts(map)))});
    }

    static std::string textOf(const HeatMapCell& cell) {
        return cell.value ? formatRate(*cell.value) : cell.label;
    }

    static std::vector<std::string> cellTexts(const HeatMap& map) {
        std::vector<std::string> texts;
        for (const HeatMapCell& cell : map.cells)
            texts.push_back(textOf(cell));
        return texts;
    }

    static std::vector<std::string> labelsOf(const HeatMap& map) {
        std::set<std::string> labels;
        for (const HeatMapCell& cell : map.cells)
            if (!cell.value)
                labels.insert(cell.label);
        return {labels.begin(), labels.end()};
    }

    template <class... T> void add(fmt::format_string<T...> format, T&&... arguments) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<T>(arguments)...);
        out_ += '\n';
    }

    void text(double x, double y, const char* anchor, const std::string& what,
              const std::string& more = "") {
        add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}</text>)", x, y, anchor,
            more.empty() ? "" : " " + more, escaped(what));
    }

    void head() {
        const double titleWidth = 2 * margin + 11 * static_cast<double>(map_.title.size());
        const double subtitleWidth =
            2 * margin + characterWidth * static_cast<double>(map_.subtitle.size());
        const double width = std::max({right_ + margin + legendWidth, titleWidth, subtitleWidth});
        const double height = std::max({bottom_ + margin, leastHeight, top(0) + rowKeyLength()});
        add(R"(<?xml version="1.0" encoding="UTF-8"?>)");
        add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" )"
            R"(viewBox="0 0 {0:.0f} {1:.0f}" font-family="DejaVu Sans, Arial, sans-serif" )"
            R"(font-size="11" fill="#1a1a1a">)",
            width, height);
        add("<title>{}</title>", escaped(map_.title));
        add(R"(<rect width="{:.0f}" height="{:.0f}" fill="#ffffff"/>)", width, height);
        text(margin, 32, "start", map_.title, R"(font-size="16" font-weight="bold")");
        text(margin, 52, "start", map_.subtitle, R"(fill="#555555")");
    }

    /// Every n-th value, so that the labels do not touch.
    static std::size_t stride(double room, double needed) {
        return static_cast<std::size_t>(std::max(1.0, std::ceil(needed / room)));
    }

    void axes() {
        text((left_ + right_) / 2, headHeight, "middle", map_.columnKey, R"(font-weight="bold")");
        const double labelWidth = characterWidth * static_cast<double>(longest(map_.columns)) + 4;
        const std::size_t everyColumn = stride(cellWidth_, labelWidth);
        for (std::size_t i = 0; i < map_.columns.size(); i += everyColumn)
            text(left_ + cellWidth_ * (static_cast<double>(i) + 0.5), headHeight + margin - 7,
                 "middle", map_.columns[i]);
        const std::size_t everyRow = stride(cellHeight_, 13);
        for (std::size_t i = 0; i < map_.rows.size(); i += everyRow)
            text(left_ - 7, top(i) + cellHeight_ / 2 + 4, "end", map_.rows[i]);
        // Upwards in the middle of the rows; where they are few it ends at the first and begins
        // below the last.
        const bool fits = rowKeyLength() <= bottom_ - top(0);
        const double y = fits ? (top(0) + bottom_) / 2 : top(0);
        text(margin, y, fits ? "middle" : "end", map_.rowKey,
             fmt::format(R"(font-weight="bold" transform='rotate(-90 {:.1f} {:.1f})')", margin, y));
    }

    [[nodiscard]] double rowKeyLength() const {
        return 8 * static_cast<double>(map_.rowKey.size());
    }

    [[nodiscard]] double top(std::size_t row) const {
        return headHeight + margin + cellHeight_ * static_cast<double>(row);
    }

    /// Diagonal lines over a rectangle with a border, drawn one by one, as not every program
    /// supports patterns. Each label has its own direction.
    void hatch(double x, double y, double width, double height, const std::string& label) {
        const auto number = std::find(labels_.begin(), labels_.end(), label) - labels_.begin();
        fmt::format_to(std::back_inserter(out_),
                       R"(<path stroke="#b0b0b0" stroke-width="1.6" fill="none" )"
                       R"(d="M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z)",
                       x + 0.8, y + 0.8, width - 1.6, height - 1.6, 1.6 - width);
        for (double from = hatchSpacing - height; from < width; from += hatchSpacing) {
            const double left = std::max(from, 0.0);
            const double right = std::min(from + height, width);
            const double low = y + height - (left - from);
            const double high = y + height - (right - from);
            fmt::format_to(std::back_inserter(out_), "M{:.1f} {:.1f}L{:.1f} {:.1f}", x + left,
                           number % 2 == 0 ? low : 2 * y + height - low, x + right,
                           number % 2 == 0 ? high : 2 * y + height - high);
        }
        out_ += "\"/>\n";
    }

    void paintCell(const HeatMapCell& cell, double x, double y, double width, double height) {
        const bool small = std::min(width, height) < hatchSpacing;
        add(R"(<rect class="cell" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" )"
            R"(fill="{}"><title>{}</title></rect>)",
            x, y, width, height,
            cell.value ? hex(heatColour(range_.share(*cell.value)))
            : small    ? "#d0d0d0"
                       : "#f4f4f4",
            escaped(cell.tooltip));
        if (!cell.value && !small)
            hatch(x, y, width, height, cell.label);
    }

    void cells() {
        // A thin white gap between large cells; small ones touch.
        const double gap = cellWidth_ >= 12 && cellHeight_ >= 12 ? 1 : 0;
        for (std::size_t i = 0; i < map_.cells.size(); ++i) {
            const HeatMapCell& cell = map_.cells[i];
            const double x = left_ + cellWidth_ * static_cast<double>(i % map_.columns.size());
            const double y = top(i / map_.columns.size());
            paintCell(cell, x, y, cellWidth_ - gap, cellHeight_ - gap);
            cellText(cell, x, y);
        }
        for (std::size_t i = 0; i < map_.cells.size(); ++i)
            if (isBest(map_.cells[i]))
                add(R"(<rect class="best" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" )"
                    R"(fill="none" stroke="#d1006c" stroke-width="2.5"/>)",
                    left_ + cellWidth_ * static_cast<double>(i % map_.columns.size()) - gap / 2,
                    top(i / map_.columns.size()) - gap / 2, cellWidth_, cellHeight_);
    }

    [[nodiscard]] bool isBest(const HeatMapCell& cell) const {
        // Equal rates may differ in their last bits.
        return cell.value && range_.high > range_.low && *cell.value >= range_.high * (1 - 1e-9);
    }

    void cellText(const HeatMapCell& cell, double x, double y) {
        if (!cellsHaveTexts_)
            return;
        const std::string what = textOf(cell);
        const double middle = x + cellWidth_ / 2;
        const double baseline = y + cellHeight_ / 2 + 4;
        // Text over lines needs its own background.
        const double ground = characterWidth * static_cast<double>(what.size()) + 8;
        if (!cell.value)
            add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="15" rx="2" fill="#f4f4f4"/>)",
                middle - ground / 2, baseline - 11.5, ground);
        text(middle, baseline, "middle", what,
             fmt::format(R"(fill="{}")",
                         cell.value ? inkOn(heatColour(range_.share(*cell.value))) : "#444444"));
    }

    void legend() {
        const double x = right_ + margin;
        double y = top(0);
        if (range_.any)
            y = scale(x, y) + 22;
        for (const std::string& label : labels_) {
            swatch(x, y, R"(fill="#f4f4f4" stroke="#b0b0b0")", label);
            hatch(x, y, legendBarWidth, swatchHeight, label);
            y += 22;
        }
        if (range_.high > range_.low)
            swatch(x, y, R"(fill="none" stroke="#d1006c" stroke-width="2.5")", "largest value");
    }

    /// The bar with its numbers; returns its lower end.
    double scale(double x, double y) {
        text(x, y + 4, "start", map_.unit, R"(font-weight="bold")");
        y += 16;
        const double height = std::clamp(bottom_ - y - 70, 100.0, 320.0);
        // Slices that reach down to the end, so that no seams show between them.
        for (int i = 0; i < scaleSlices; ++i) {
            const double from = static_cast<double>(i) / scaleSlices;
            add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}"/>)", x,
                y + height * from, legendBarWidth, height * (1 - from),
                hex(heatColour(1 - from - 0.5 / scaleSlices)));
        }
        for (const double tick : ticksBetween(range_.low, range_.high)) {
            const double at = y + height * (1 - range_.share(tick));
            add(R"(<line x1="{0:.1f}" y1="{2:.1f}" x2="{1:.1f}" y2="{2:.1f}" stroke="#1a1a1a"/>)",
                x + legendBarWidth, x + legendBarWidth + 4, at);
            text(x + legendBarWidth + 8, at + 4, "start", formatRate(tick));
        }
        return y + height;
    }

    void swatch(double x, double y, const std::string& style, const std::string& label) {
        add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" {}/>)", x, y,
            legendBarWidth, swatchHeight, style);
        text(x + legendBarWidth + 8, y + 11, "start", label);
    }

    const HeatMap& map_;
    Range range_;
    double cellWidth_;
    double cellHeight_;
    double left_;
    double right_;
    double bottom_;
    std::vector<std::string> labels_; ///< of the cells without a value
    bool cellsHaveTexts_;             ///< all or none: a gap would look like a missing value
    std::string out_;
};

} // namespace

HeatColour heatColour(double share) {
    const double at = std::clamp(share, 0.0, 1.0) * (cividis.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(at), cividis.size() - 2);
    const double rest = at - static_cast<double>(low);
    const auto mix = [rest](double a, double b) { return a + (b - a) * rest; };
    const Colour& a = cividis[low];
    const Colour& b = cividis[low + 1];
    return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

std::string heatMapSvg(const HeatMap& map) {
    if (map.cells.empty() || map.cells.size() != map.rows.size() * map.columns.size())
        throw InternalError(fmt::format("a heat map of {} rows and {} columns has {} cells",
                                        map.rows.size(), map.columns.size(), map.cells.size()));
    return Painter(map).paint();
}

} // namespace tilescope
