#include "views/widgets/pointed.h"

#include <QVariant>

namespace tilescope::views {
namespace {
constexpr const char* pointAtProperty = "pointAt";
}

void setPointAt(QWidget& widget, PointAt pointAt) {
    widget.setProperty(pointAtProperty, QVariant::fromValue(std::move(pointAt)));
}

PointAt pointAtOf(const QWidget& widget) {
    return widget.property(pointAtProperty).value<PointAt>();
}

} // namespace tilescope::views
