#include "views/theme/theme.h"

#include <array>
#include <cmath>

namespace tilescope::views {
namespace {

// The eight colours of Okabe and Ito, "Color Universal Design" (2008), without black.
constexpr QRgb orange = 0xffe69f00;
constexpr QRgb sky = 0xff56b4e9;
constexpr QRgb green = 0xff009e73;
constexpr QRgb yellow = 0xfff0e442;
constexpr QRgb blue = 0xff0072b2;
constexpr QRgb vermillion = 0xffd55e00;
constexpr QRgb purple = 0xffcc79a7;

constexpr std::array<QRgb, programKinds.size()> kindColours{
    0xff7d8894, // Sequence
    0xff8f7bb8, // Repeat
    0xff5f7186, // Call
    0xff9a7b5a, // Switch
    vermillion, // OnTileExecute
    sky,        // DoExchange
    blue,       // GlobalExchange
    0xffaab2bb, // StreamCopyBegin
    green,      // StreamCopyMid
    purple,     // StreamCopyEnd
    yellow,     // Sync
    0xffc9ced4, // WriteUndef
};

// Data in blues, vertices in warm colours, control in greens, exchange code in purples: a hue is
// a family and lightness tells its members apart.
constexpr std::array<QRgb, memoryCategories.size()> categoryColours{
    blue,       // Variable
    sky,        // Constant
    0xff9fd3f2, // Message
    0xff8a939c, // Stack
    vermillion, // VertexCode
    orange,     // VertexInstanceState
    yellow,     // VertexFieldData
    0xffb39b00, // VectorListDescriptor
    0xff8c5a2b, // CopyDescriptor
    green,      // ControlCode
    0xff66c9ab, // ControlId
    0xff00664a, // ControlTable
    purple,     // InternalExchangeCode
    0xff9a4a77, // HostExchangeCode
    0xff6a4c93, // GlobalExchangeCode
    0xffe3b4cf, // HostExchangePacketHeader
    0xffb7a3d0, // GlobalExchangePacketHeader
    0xff5b646e, // InstrumentationResults
};

double channelLuminance(double value) {
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c) {
    return 0.2126 * channelLuminance(c.redF()) + 0.7152 * channelLuminance(c.greenF()) +
           0.0722 * channelLuminance(c.blueF());
}

} // namespace

QColor mixed(const QColor& a, const QColor& b, double share) {
    const auto mix = [share](int x, int y) { return static_cast<int>(x + (y - x) * share); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

QColor Theme::kind(ProgramKind kind) const {
    const QColor colour(kindColours.at(static_cast<std::size_t>(kind)));
    return dark ? mixed(colour, window, 0.12) : colour;
}

QColor Theme::category(MemoryCategory category) const {
    return QColor(categoryColours.at(static_cast<std::size_t>(category)));
}

QColor Theme::region(MemoryRegion region) const {
    switch (region) {
    case MemoryRegion::NonInterleaved:
        return QColor(blue);
    case MemoryRegion::Interleaved:
        return QColor(orange);
    case MemoryRegion::Overflowed:
        break;
    }
    return QColor(vermillion);
}

QColor Theme::series(int n) const {
    static constexpr std::array colours{blue, orange, green, purple, sky, vermillion, yellow};
    return QColor(colours.at(static_cast<std::size_t>(n) % colours.size()));
}

QColor Theme::textOn(const QColor& background) {
    // WCAG contrast of black is (L + 0.05) / 0.05, of white 1.05 / (L + 0.05): equal at 0.179.
    return luminance(background) > 0.179 ? QColor(0x10, 0x14, 0x18) : QColor(Qt::white);
}

Theme lightTheme() {
    Theme t;
    t.window = QColor("#f4f6f8");
    t.surface = QColor("#ffffff");
    t.raised = QColor("#eceff3");
    t.border = QColor("#d3d9e0");
    t.grid = QColor("#e4e8ed");
    t.text = QColor("#1a1f26");
    t.mutedText = QColor("#566270");
    t.accent = QColor("#0068a3");
    t.selected = QColor("#d6e9f6");
    t.good = QColor("#00734f");
    t.warning = QColor("#8f5d00");
    t.bad = QColor("#b84300");
    t.source = QColor(blue);
    t.target = QColor(orange);
    t.alwaysLive = QColor(orange);
    t.notAlwaysLive = QColor(blue);
    t.limit = QColor("#1a1f26");
    return t;
}

Theme darkTheme() {
    Theme t;
    t.dark = true;
    t.window = QColor("#14171b");
    t.surface = QColor("#1a1e23");
    t.raised = QColor("#20252b");
    t.border = QColor("#363d46");
    t.grid = QColor("#2a3037");
    t.text = QColor("#e6eaee");
    t.mutedText = QColor("#9ba7b4");
    t.accent = QColor("#5cb8ec");
    t.selected = QColor("#1f4560");
    t.good = QColor("#3cc9a0");
    t.warning = QColor("#f0b13c");
    t.bad = QColor("#ff8a4a");
    t.source = QColor(sky);
    t.target = QColor(orange);
    t.alwaysLive = QColor(orange);
    t.notAlwaysLive = QColor(sky);
    t.limit = QColor("#e6eaee");
    return t;
}

ThemeSource::ThemeSource(QObject* parent)
    : QObject(parent)
    , theme_(lightTheme()) {}

void ThemeSource::set(const Theme& theme) {
    theme_ = theme;
    emit changed();
}

} // namespace tilescope::views
