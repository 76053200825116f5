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

struct Colour {
    double red, green, blue;
};

// The cividis map (Nunez, Anderton and Renslow, 2018) at eighths: made for readers with and without
// colour vision deficiency, its lightness grows evenly.
constexpr std::array<Colour, 9> cividis{{{0, 34, 78},
                                         {24, 57, 109},
                                         {66, 78, 108},
                                         {96, 100, 112},
                                         {125, 124, 120},
                                         {155, 148, 118},
                                         {188, 175, 111},
                                         {223, 203, 93},
                                         {254, 232, 56}}};

Colour colourAt(double share) {
    const double at = std::clamp(share, 0.0, 1.0) * (cividis.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(at), cividis.size() - 2);
    const double rest = at - static_cast<double>(low);
    const auto mix = [rest](double a, double b) { return a + (b - a) * rest; };
    const Colour& a = cividis[low];
    const Colour& b = cividis[low + 1];
    return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

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

/// Text for XML; control characters have no place in it.
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

/// "1,318", "99.5", "0.0123": three digits or more.
std::string numberText(double value) {
    if (std::abs(value) >= 1000)
        return withThousands(std::llround(value));
    return std::abs(value) >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
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
constexpr double leastHeight = 300; ///< of the picture, so that the legend has room

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
        , labels_(labelsOf(map)) {}

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
        return std::max(58.0,
                        16 + characterWidth * static_cast<double>(longest(map.columns)));
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
        const double titleWidth =
            2 * margin + 8.5 * static_cast<double>(map_.title.size());
        const double subtitleWidth =
            2 * margin + characterWidth * static_cast<double>(map_.subtitle.size());
        const double width = std::max({right_ + margin + legendWidth, titleWidth, subtitleWidth});
        const double height = std::max(bottom_ + margin, leastHeight);
        add(R"(<?xml version="1.0" encoding="UTF-8"?>)");
        add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" )"
            R"(viewBox="0 0 {0:.0f} {1:.0f}" font-family="DejaVu Sans, Arial, sans-serif" )"
            R"(font-size="11" fill="#1a1a1a">)",
            width, height);
        add("<title>{}</title>", escaped(map_.title));
        out_ += "<defs>\n";
        for (std::size_t i = 0; i < labels_.size(); ++i)
            add(R"(<pattern id="hatch{0}" width="7" height="7" patternUnits="userSpaceOnUse" )"
                R"(patternTransform="rotate({1})"><rect width="7" height="7" fill="#ffffff"/>)"
                R"(<line x1="0" y1="0" x2="0" y2="7" stroke="#b8b8b8" stroke-width="2"/></pattern>)",
                i, i % 2 == 0 ? 45 : -45);
        out_ += R"(<linearGradient id="scale" x1="0" y1="1" x2="0" y2="0">)";
        for (std::size_t i = 0; i < cividis.size(); ++i)
            out_ += fmt::format(R"(<stop offset="{}" stop-color="{}"/>)",
                                static_cast<double>(i) / (cividis.size() - 1), hex(cividis[i]));
        out_ += "</linearGradient>\n</defs>\n";
        add(R"(<rect width="{:.0f}" height="{:.0f}" fill="#ffffff"/>)", width, height);
        text(margin, 32, "start", map_.title, R"(font-size="16" font-weight="bold")");
        text(margin, 52, "start", map_.subtitle, R"(fill="#555555")");
    }

    /// Every so many values, so that their texts do not touch.
    static std::size_t stride(double room, double needed) {
        return static_cast<std::size_t>(std::max(1.0, std::ceil(needed / room)));
    }

    void axes() {
        text((left_ + right_) / 2, headHeight, "middle", map_.columnKey,
             R"(font-weight="bold")");
        const double labelWidth = characterWidth * static_cast<double>(longest(map_.columns)) + 4;
        const std::size_t everyColumn = stride(cellWidth_, labelWidth);
        for (std::size_t i = 0; i < map_.columns.size(); i += everyColumn)
            text(left_ + cellWidth_ * (static_cast<double>(i) + 0.5), headHeight + margin - 7,
                 "middle", map_.columns[i]);
        const std::size_t everyRow = stride(cellHeight_, 13);
        for (std::size_t i = 0; i < map_.rows.size(); i += everyRow)
            text(left_ - 7, top(i) + cellHeight_ / 2 + 4, "end", map_.rows[i]);
        const double middle = (top(0) + bottom_) / 2;
        text(margin, middle, "middle", map_.rowKey,
             fmt::format(R"(font-weight="bold" transform="rotate(-90 {:.1f} {:.1f})")", margin,
                         middle));
    }

    [[nodiscard]] double top(std::size_t row) const {
        return headHeight + margin + cellHeight_ * static_cast<double>(row);
    }

    [[nodiscard]] std::string fillOf(const HeatMapCell& cell) const {
        if (cell.value)
            return hex(colourAt(range_.share(*cell.value)));
        const auto label = std::find(labels_.begin(), labels_.end(), cell.label);
        return fmt::format("url(#hatch{})", label - labels_.begin());
    }

    void cells() {
        // A hair of white between large cells; small ones touch.
        const double gap = cellWidth_ >= 12 && cellHeight_ >= 12 ? 1 : 0;
        for (std::size_t i = 0; i < map_.cells.size(); ++i) {
            const HeatMapCell& cell = map_.cells[i];
            const double x = left_ + cellWidth_ * static_cast<double>(i % map_.columns.size());
            const double y = top(i / map_.columns.size());
            add(R"(<rect class="cell" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" )"
                R"(fill="{}"><title>{}</title></rect>)",
                x, y, cellWidth_ - gap, cellHeight_ - gap, fillOf(cell), escaped(cell.tooltip));
            cellText(cell, x, y);
        }
        for (std::size_t i = 0; i < map_.cells.size(); ++i)
            if (isBest(map_.cells[i])) {
                add(R"(<rect class="best" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" )"
                    R"(fill="none" stroke="#d1006c" stroke-width="2.5"/>)",
                    left_ + cellWidth_ * static_cast<double>(i % map_.columns.size()) - gap / 2,
                    top(i / map_.columns.size()) - gap / 2, cellWidth_, cellHeight_);
                break;
            }
    }

    [[nodiscard]] bool isBest(const HeatMapCell& cell) const {
        return cell.value && range_.high > range_.low && *cell.value >= range_.high;
    }

    void cellText(const HeatMapCell& cell, double x, double y) {
        const std::string what = cell.value ? numberText(*cell.value) : cell.label;
        if (characterWidth * static_cast<double>(what.size()) + 6 > cellWidth_ || cellHeight_ < 14)
            return;
        const char* ink = cell.value ? inkOn(colourAt(range_.share(*cell.value))) : "#555555";
        // Text on a hatch needs a halo to be read.
        const char* halo = cell.value ? ""
                                      : R"( stroke="#ffffff" stroke-width="3" paint-order="stroke")";
        text(x + cellWidth_ / 2, y + cellHeight_ / 2 + 4, "middle", what,
             fmt::format(R"(fill="{}"{})", ink, halo));
    }

    void legend() {
        const double x = right_ + margin;
        double y = top(0);
        if (range_.any)
            y = scale(x, y) + 22;
        for (std::size_t i = 0; i < labels_.size(); ++i, y += 22)
            swatch(x, y, fmt::format(R"(fill="url(#hatch{})" stroke="#999999")", i), labels_[i]);
        if (range_.high > range_.low)
            swatch(x, y, R"(fill="none" stroke="#d1006c" stroke-width="2.5")", "largest value");
    }

    /// The bar with its numbers; gives its lower end.
    double scale(double x, double y) {
        text(x, y + 4, "start", map_.unit, R"(font-weight="bold")");
        y += 16;
        const double height = std::clamp(bottom_ - y - 70, 100.0, 320.0);
        add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="url(#scale)"/>)", x,
            y, legendBarWidth, height);
        for (const double tick : ticksBetween(range_.low, range_.high)) {
            const double at = y + height * (1 - range_.share(tick));
            add(R"(<line x1="{0:.1f}" y1="{2:.1f}" x2="{1:.1f}" y2="{2:.1f}" stroke="#1a1a1a"/>)",
                x + legendBarWidth, x + legendBarWidth + 4, at);
            text(x + legendBarWidth + 8, at + 4, "start", numberText(tick));
        }
        return y + height;
    }

    void swatch(double x, double y, const std::string& style, const std::string& label) {
        add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="13" {}/>)", x, y, legendBarWidth,
            style);
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
    std::string out_;
};

} // namespace

std::string heatMapSvg(const HeatMap& map) {
    if (map.cells.empty() || map.cells.size() != map.rows.size() * map.columns.size())
        throw InternalError(fmt::format("a heat map of {} rows and {} columns has {} cells",
                                        map.rows.size(), map.columns.size(), map.cells.size()));
    return Painter(map).paint();
}

} // namespace tilescope
