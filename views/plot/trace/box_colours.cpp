#include "views/plot/trace/box_colours.h"

#include <algorithm>
#include <cmath>

#include "views/theme/colour_scale.h"

namespace tilescope::views {
namespace {

constexpr int hues = 7; // of Theme::series()

/// Adds up colours by their shares.
struct ColourSum {
    float red = 0, green = 0, blue = 0, all = 0;

    void add(QRgb colour, std::uint8_t share) {
        const auto weight = static_cast<float>(share);
        red += weight * static_cast<float>(qRed(colour));
        green += weight * static_cast<float>(qGreen(colour));
        blue += weight * static_cast<float>(qBlue(colour));
        all += weight;
    }
    [[nodiscard]] BoxPaint paint() const {
        constexpr float full = 255;
        const auto channel = [this](float sum) { return static_cast<int>(sum / all + 0.5F); };
        return {qRgb(channel(red), channel(green), channel(blue)), std::min(1.0F, all / full)};
    }
};

} // namespace

QRgb mixedColours(QRgb a, QRgb b, double share) {
    const auto mix = [share](int x, int y) { return static_cast<int>(x + (y - x) * share); };
    return qRgb(mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b)));
}

QColor groupColour(const Theme& theme, ProgramKind kind) {
    return mixed(theme.kind(kind), theme.surface, theme.dark ? 0.5 : 0.55);
}

QColor tintColour(const Theme& theme, int n) {
    // Types beyond the hues are darker and lighter; shades of one type are steps between them.
    constexpr double round = 0.36;
    constexpr double shade = 0.14;
    const int type = n / tintShades;
    QColor colour = theme.series(type);
    const int turn = type / hues % 3;
    if (turn > 0)
        colour = mixed(colour, (turn == 1) == theme.dark ? theme.surface : theme.text, round);
    return mixed(colour, theme.surface, shade * (n % tintShades));
}

int microBatchTint(std::int64_t number, bool backward) {
    constexpr std::int64_t different = std::int64_t{3} * hues; // before they repeat
    const auto type = static_cast<int>(std::max<std::int64_t>(0, number - 1) % different);
    return type * tintShades + (backward ? 1 : 0);
}

QColor channelColour(const Theme& theme, int n) {
    return tintColour(theme, n * tintShades);
}

QColor neutralColour(const Theme& theme) {
    return mixed(theme.text, theme.surface, theme.dark ? 0.75 : 0.8);
}

QColor unmatchedColour(const Theme& theme) {
    return mixed(theme.series(2), theme.surface, 0.25);
}

QColor amountColour(const Theme& theme, double amount) {
    // On a dark ground the darkest colours are hardly seen.
    const double first = theme.dark ? 0.15 : 0;
    return scaleColour(ColourScale::Viridis, first + (1 - first) * std::clamp(amount, 0.0, 1.0),
                       theme);
}

BoxColours::BoxColours(const Theme& theme, ColourBy by)
    : by_(by)
    , surface_(theme.surface.rgb())
    , run_(mixed(theme.text, theme.surface, theme.dark ? 0.62 : 0.18).rgb())
    , neutral_(neutralColour(theme).rgb())
    , unmatched_(unmatchedColour(theme).rgb()) {
    for (const ProgramKind kind : programKinds) {
        const auto put = [&](TraceBox::Look look, QRgb colour) {
            kinds_[static_cast<std::size_t>(look) * programKinds.size() +
                   static_cast<std::size_t>(kind)] = colour;
        };
        put(TraceBox::Look::Run, run_);
        put(TraceBox::Look::Group, groupColour(theme, kind).rgb());
        put(TraceBox::Look::Step, theme.kind(kind).rgb());
    }
    for (std::size_t n = 0; n < channels; ++n)
        channels_.push_back(channelColour(theme, static_cast<int>(n)).rgb());
    if (by == ColourBy::Operation || by == ColourBy::Pass || by == ColourBy::MicroBatch)
        for (std::size_t n = 0; n < tints; ++n)
            tints_.push_back(tintColour(theme, static_cast<int>(n)).rgb());
    for (std::size_t n = 0; by == ColourBy::Change && n < steps; ++n)
        scale_.push_back(
            changeScaleColour(2.0 * static_cast<double>(n) / static_cast<double>(steps - 1) - 1,
                              theme)
                .rgb());
    if (by == ColourBy::Balance || by == ColourBy::Bytes)
        for (std::size_t n = 0; n < steps; ++n)
            scale_.push_back(
                amountColour(theme, static_cast<double>(n) / static_cast<double>(steps - 1)).rgb());
}

BoxPaint BoxColours::of(const TraceBox& box) const {
    if (box.channel >= 0)
        return ofChannels(box);
    if (box.look == TraceBox::Look::Run)
        return {run_};
    switch (by_) {
    case ColourBy::Kind:
        return ofKinds(box);
    case ColourBy::Operation:
    case ColourBy::Pass:
    case ColourBy::MicroBatch:
        return ofParts(box);
    case ColourBy::Balance:
    case ColourBy::Bytes:
    case ColourBy::Change:
        break;
    }
    const float filled = box.merged() ? ofKinds(box).filled : 1;
    if (box.tint.amount <= BoxTint::unmatched)
        return {unmatched_, filled};
    if (box.tint.amount < 0)
        return {neutral_, filled};
    const double at = std::clamp<double>(box.tint.amount, 0, 1) * static_cast<double>(steps - 1);
    return {scale_[static_cast<std::size_t>(std::lround(at))], filled};
}

BoxPaint BoxColours::ofKinds(const TraceBox& box) const {
    if (!box.merged())
        return {plain(box)};
    ColourSum sum;
    const std::size_t first = static_cast<std::size_t>(TraceBox::Look::Step) * programKinds.size();
    for (std::size_t kind = 0; kind < programKinds.size(); ++kind)
        if (box.shares[kind] > 0)
            sum.add(kinds_[first + kind], box.shares[kind]);
    return sum.paint();
}

BoxPaint BoxColours::ofChannels(const TraceBox& box) const {
    ColourSum sum;
    for (const BoxTint::Part& part : box.tint.parts)
        if (part.colour >= 0 && part.share > 0)
            sum.add(channels_[static_cast<std::size_t>(part.colour) % channels], part.share);
    return sum.all > 0 ? sum.paint()
                       : BoxPaint{channels_[static_cast<std::size_t>(box.channel) % channels]};
}

BoxPaint BoxColours::ofParts(const TraceBox& box) const {
    constexpr int full = 255;
    ColourSum sum;
    int left = full;
    for (const BoxTint::Part& part : box.tint.parts)
        if (part.colour >= 0) {
            sum.add(tints_[static_cast<std::size_t>(part.colour) % tints], part.share);
            left -= part.share;
        }
    // The share of no operation, or of none of those with most cycles.
    if (left > 0)
        sum.add(neutral_, static_cast<std::uint8_t>(left));
    return {sum.paint().colour, box.merged() ? ofKinds(box).filled : 1};
}

} // namespace tilescope::views
