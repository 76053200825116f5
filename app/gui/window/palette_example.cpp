#include "app/gui/window/palette_example.h"

#include <QPainter>

namespace tilescope::gui {
namespace {
constexpr int margin = 10;
constexpr int barHeight = 18;
constexpr int gap = 4;
constexpr int exampleWidth = 520;
} // namespace

PaletteExample::PaletteExample(views::ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context) {
    setAccessibleName(tr("Example of the colours"));
    connect(&context_.theme, &views::ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

// Names as wide as their boxes; shares are made up for that, they measure nothing.
std::vector<std::vector<PaletteExample::Sample>> PaletteExample::rows() const {
    const views::Theme& theme = context_.theme.current();
    const auto kind = [&](ProgramKind kind) { return theme.kind(kind); };
    return {{{tr("Source"), theme.source, 0.5}, {tr("Target"), theme.target, 0.5}},
            {{tr("Compute"), kind(ProgramKind::OnTileExecute), 0.28},
             {tr("Exchange"), kind(ProgramKind::DoExchange), 0.24},
             {tr("Sync"), kind(ProgramKind::Sync), 0.14},
             {tr("Host"), kind(ProgramKind::StreamCopyMid), 0.14},
             {tr("Other IPUs"), kind(ProgramKind::GlobalExchange), 0.2}},
            {{tr("Variables"), theme.category(MemoryCategory::Variable), 0.34},
             {tr("Vertex code"), theme.category(MemoryCategory::VertexCode), 0.24},
             {tr("State"), theme.category(MemoryCategory::VertexInstanceState), 0.16},
             {tr("Exchange code"), theme.category(MemoryCategory::InternalExchangeCode), 0.26}}};
}

int PaletteExample::rowHeight() const {
    return std::max(barHeight, fontMetrics().height() + 6) + gap;
}

QSize PaletteExample::sizeHint() const {
    return {exampleWidth, 3 * rowHeight() + 2 * margin - gap};
}

void PaletteExample::paintEvent(QPaintEvent*) {
    const views::Theme& theme = context_.theme.current();
    QPainter painter(this);
    painter.setPen(theme.border);
    painter.setBrush(theme.surface);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    int y = margin;
    for (const std::vector<Sample>& row : rows()) {
        double x = margin;
        const double whole = width() - 2 * margin;
        for (const Sample& sample : row) {
            const QRectF box(x, y, sample.share * whole - 1, rowHeight() - gap);
            painter.fillRect(box, sample.colour);
            painter.setPen(views::Theme::textOn(sample.colour));
            painter.drawText(box, Qt::AlignCenter, sample.name);
            x += sample.share * whole;
        }
        y += rowHeight();
    }
}

} // namespace tilescope::gui
