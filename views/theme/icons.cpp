#include "views/theme/icons.h"

#include <QFile>
#include <QPainter>
#include <QSvgRenderer>

// Resources of a static library are linked only where they are asked for by name; the macro has to
// be outside of namespaces.
static void initialiseResources() {
    Q_INIT_RESOURCE(tilescope);
}

namespace tilescope::views {
namespace {

void addColour(QIcon& icon, QByteArray svg, const QColor& colour, QIcon::Mode mode,
               QIcon::State state) {
    svg.replace("#000", colour.name().toLatin1());
    QSvgRenderer renderer(svg);
    for (const int size : {20, 40}) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        renderer.render(&painter);
        painter.end();
        icon.addPixmap(pixmap, mode, state);
    }
}

} // namespace

QIcon themedIcon(const QString& name, const Theme& theme) {
    initialiseResources();
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray svg = file.readAll();
    QIcon icon;
    addColour(icon, svg, theme.text, QIcon::Normal, QIcon::Off);
    addColour(icon, svg, theme.accent, QIcon::Normal, QIcon::On);
    addColour(icon, svg, theme.mutedText, QIcon::Disabled, QIcon::Off);
    return icon;
}

} // namespace tilescope::views
