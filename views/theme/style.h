// The style of standard widgets.
#pragma once

#include <QProxyStyle>

namespace tilescope::views {

/// Fusion with space left and right of the text in tables and trees, and beside the arrow of a
/// sorted column, which a style sheet cannot provide. Buttons of dialogs have words alone, and
/// words that are off have no shadow. Labels and tool tips show their text as it is: names come
/// from files, and HTML in them would read other files. A label that is to show HTML asks for
/// Qt::RichText itself, and escapes names.
class WindowStyle : public QProxyStyle {
    Q_OBJECT
public:
    WindowStyle();
    int pixelMetric(PixelMetric metric, const QStyleOption* option,
                    const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* returned) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    using QProxyStyle::polish;
    void polish(QWidget* widget) override;
};

} // namespace tilescope::views
