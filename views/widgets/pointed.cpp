#include "views/widgets/pointed.h"

#include <QVariant>

namespace tilescope::views {
namespace {
constexpr const char* pointAtProperty = "pointAt";
}

void setPointAt(QWidget& widget, const PointAt& pointAt) {
    widget.setProperty(pointAtProperty, QVariant::fromValue(pointAt));
}

PointAt pointAtOf(const QWidget& widget) {
    return widget.property(pointAtProperty).value<PointAt>();
}

} // namespace tilescope::views
