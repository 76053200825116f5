#include "views/theme/theme.h"

#include <array>

namespace tilescope::views {
namespace {

// Colours for kinds with few cycles or bytes are the same in all palettes: greys and mixtures.
constexpr QRgb sequenceGrey = 0xff7d8894;
constexpr QRgb callGrey = 0xff5f7186;
constexpr QRgb switchBrown = 0xff9a7b5a;
constexpr QRgb waitGrey = 0xffaab2bb;
constexpr QRgb undefGrey = 0xffc9ced4;
constexpr QRgb stackGrey = 0xff8a939c;
constexpr QRgb resultsGrey = 0xff5b646e;
const QColor white(Qt::white);
const QColor black(Qt::black);

} // namespace

QColor mixed(const QColor& a, const QColor& b, double share) {
    const auto mix = [share](int x, int y) { return static_cast<int>(x + (y - x) * share); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

QColor Theme::kind(ProgramKind kind) const {
    const auto toned = [this](const QColor& colour) {
        return dark ? mixed(colour, window, 0.12) : colour;
    };
    switch (kind) {
    case ProgramKind::Sequence:
        return toned(sequenceGrey);
    case ProgramKind::Repeat:
        return toned(mixed(data.purple, sequenceGrey, 0.6));
    case ProgramKind::Call:
        return toned(callGrey);
    case ProgramKind::Switch:
        return toned(switchBrown);
    case ProgramKind::OnTileExecute:
        return toned(data.vermillion);
    case ProgramKind::DoExchange:
        return toned(data.sky);
    case ProgramKind::GlobalExchange:
        return toned(data.blue);
    case ProgramKind::StreamCopyBegin:
        return toned(data.purple);
    case ProgramKind::StreamCopyMid:
        return toned(data.green);
    case ProgramKind::StreamCopyEnd:
        return toned(waitGrey);
    case ProgramKind::Sync:
        return toned(data.yellow);
    case ProgramKind::UnknownControl:
        return toned(sequenceGrey);
    case ProgramKind::WriteUndef:
    case ProgramKind::Unknown:
        break;
    }
    return toned(undefGrey);
}

// Data in blues, vertices in warm colours, control in greens, exchange code in purples: a hue is
// a family and lightness tells its members apart.
QColor Theme::category(MemoryCategory category) const {
    switch (category) {
    case MemoryCategory::Variable:
        return data.blue;
    case MemoryCategory::Constant:
        return data.sky;
    case MemoryCategory::Message:
        return mixed(data.sky, white, 0.45);
    case MemoryCategory::Stack:
        return stackGrey;
    case MemoryCategory::VertexCode:
        return data.vermillion;
    case MemoryCategory::VertexInstanceState:
        return data.orange;
    case MemoryCategory::VertexFieldData:
        return data.yellow;
    case MemoryCategory::VectorListDescriptor:
        return mixed(data.yellow, black, 0.25);
    case MemoryCategory::CopyDescriptor:
        return mixed(data.vermillion, black, 0.4);
    case MemoryCategory::ControlCode:
        return data.green;
    case MemoryCategory::ControlId:
        return mixed(data.green, white, 0.4);
    case MemoryCategory::ControlTable:
        return mixed(data.green, black, 0.35);
    case MemoryCategory::InternalExchangeCode:
        return data.purple;
    case MemoryCategory::HostExchangeCode:
        return mixed(data.purple, black, 0.3);
    case MemoryCategory::GlobalExchangeCode:
        return mixed(data.purple, data.blue, 0.6);
    case MemoryCategory::HostExchangePacketHeader:
        return mixed(data.purple, white, 0.45);
    case MemoryCategory::GlobalExchangePacketHeader:
        return mixed(mixed(data.purple, data.blue, 0.6), white, 0.55);
    case MemoryCategory::InstrumentationResults:
        break;
    }
    return resultsGrey;
}

QColor Theme::region(MemoryRegion region) const {
    switch (region) {
    case MemoryRegion::NonInterleaved:
        return data.blue;
    case MemoryRegion::Interleaved:
        return data.orange;
    case MemoryRegion::Overflowed:
        break;
    }
    return data.vermillion;
}

QColor Theme::series(int n) const {
    const std::array colours{data.blue, data.orange,     data.green, data.purple,
                             data.sky,  data.vermillion, data.yellow};
    return colours.at(static_cast<std::size_t>(n) % colours.size());
}

QColor Theme::textOn(const QColor& background) {
    const QColor ink(0x10, 0x14, 0x18);
    return contrast(ink, background) > contrast(white, background) ? ink : white;
}

namespace {

// After surface and text are set: data must be visible on the one and differ from the other.
void setData(Theme& t, DataColours colours) {
    t.data = visibleOn(dataPalette(colours), t.surface, t.text);
    t.source = t.dark ? t.data.sky : t.data.blue;
    t.target = t.data.orange;
    // Not those of source and target, which mean the same in all plots.
    constexpr double quiet = 0.45; // on a dark surface, where light greys come forward
    t.alwaysLive = t.dark ? mixed(waitGrey, t.surface, quiet) : QColor(waitGrey);
    t.notAlwaysLive = t.data.green;
}

} // namespace

Theme lightTheme(DataColours colours) {
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
    t.warning = QColor("#885800");
    t.bad = QColor("#ad3f00");
    t.limit = t.text;
    setData(t, colours);
    return t;
}

Theme darkTheme(DataColours colours) {
    Theme t;
    t.dark = true;
    t.window = QColor("#14171b");
    t.surface = QColor("#1a1e23");
    t.raised = QColor("#20252b");
    t.border = QColor("#363d46");
    t.grid = QColor("#2a3037");
    t.text = QColor("#e6eaee");
    t.mutedText = QColor("#a3afbc");
    t.accent = QColor("#5cb8ec");
    t.selected = QColor("#1c3d55");
    t.good = QColor("#3cc9a0");
    t.warning = QColor("#f0b13c");
    t.bad = QColor("#ff8a4a");
    t.limit = t.text;
    setData(t, colours);
    return t;
}

QString verdictHtml(const Theme& theme, bool good, const QString& text) {
    return QStringLiteral("<span style='color:%1; font-weight:600'>%2</span>&nbsp;%3")
        .arg((good ? theme.good : theme.bad).name(),
             good ? QStringLiteral("\u2714") : QStringLiteral("\u2718"), text.toHtmlEscaped());
}

ThemeSource::ThemeSource(QObject* parent)
    : QObject(parent)
    , theme_(lightTheme()) {}

void ThemeSource::set(const Theme& theme) {
    theme_ = theme;
    emit changed();
}

} // namespace tilescope::views
