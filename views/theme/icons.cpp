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

QPixmap rendered(QByteArray svg, const QColor& colour, int size) {
    svg.replace("#000", colour.name().toLatin1());
    QSvgRenderer renderer(svg);
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    return pixmap;
}

} // namespace

QIcon themedIcon(const QString& name, const Theme& theme) {
    initialiseResources();
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray svg = file.readAll();
    QIcon icon;
    for (const int size : {20, 40}) {
        icon.addPixmap(rendered(svg, theme.text, size), QIcon::Normal, QIcon::Off);
        icon.addPixmap(rendered(svg, theme.accent, size), QIcon::Normal, QIcon::On);
        icon.addPixmap(rendered(svg, theme.mutedText, size), QIcon::Disabled, QIcon::Off);
    }
    return icon;
}

} // namespace tilescope::views
