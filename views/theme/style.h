// The style of standard widgets.
#pragma once

#include <QProxyStyle>

namespace tilescope::views {

/// Fusion with room left and right of the text in tables and trees; a style sheet cannot give it.
class WindowStyle : public QProxyStyle {
    Q_OBJECT
public:
    WindowStyle();
    int pixelMetric(PixelMetric metric, const QStyleOption* option,
                    const QWidget* widget) const override;
};

} // namespace tilescope::views
