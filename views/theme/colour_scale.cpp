#include "views/theme/colour_scale.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace tilescope::views {
namespace {

constexpr std::array<QRgb, 10> viridis{0xff440154, 0xff482878, 0xff3e4989, 0xff31688e, 0xff26828e,
                                       0xff1f9e89, 0xff35b779, 0xff6ece58, 0xffb5de2b, 0xfffde725};
constexpr std::array<QRgb, 10> cividis{0xff00224e, 0xff123570, 0xff3b496c, 0xff575d6d, 0xff707173,
                                       0xff8a8678, 0xffa59c74, 0xffc3b369, 0xffe1cc55, 0xfffee838};

QColor between(std::span<const QRgb> stops, double share) {
    const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
    const auto first = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    return mixed(QColor(stops[first]), QColor(stops[first + 1]), at - static_cast<double>(first));
}

} // namespace

QColor scaleColour(ColourScale scale, double share, const Theme& theme) {
    switch (scale) {
    case ColourScale::Viridis:
        return between(viridis, share);
    case ColourScale::Cividis:
        return between(cividis, share);
    case ColourScale::Greys:
        break;
    }
    return mixed(theme.raised, theme.text, 0.06 + 0.94 * std::clamp(share, 0.0, 1.0));
}

QColor changeScaleColour(double share, const Theme& theme) {
    const QColor end = share < 0 ? theme.series(0) : theme.series(5);
    const QColor middle = mixed(theme.grid, theme.surface, 0.3);
    return mixed(middle, end, std::min(1.0, std::abs(share)));
}

QColor tooMuchColour(const Theme& theme) {
    return theme.dark ? QColor(0xff, 0x4d, 0x55) : QColor(0xd0, 0x02, 0x1b);
}

} // namespace tilescope::views
