// The figures that a comparison is judged by, in large letters side by side.
#pragma once

#include <array>

#include "views/compare/compare_content.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// Source and target of each figure and the change in per cent, in the colour of better or worse,
/// with a sentence below.
class VerdictCards : public PaintedWidget {
    Q_OBJECT
public:
    static constexpr std::size_t cards = 3;
    explicit VerdictCards(ViewContext& context, QWidget* parent = nullptr);
    void setFigures(std::array<VerdictFigure, cards> figures);
    [[nodiscard]] const std::array<VerdictFigure, cards>& figures() const { return figures_; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    /// As many lines as the longest sentence needs.
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent*) override;
    [[nodiscard]] QString toolTipAt(const QPoint& position) const override;

private:
    [[nodiscard]] QRect cardRect(std::size_t card) const;
    [[nodiscard]] int heightOf(int lines) const;
    [[nodiscard]] QColor colourOf(VerdictFigure::Level level) const;
    void paintCard(QPainter& painter, const QRect& card, const VerdictFigure& figure) const;
    /// Returns how many pixels of the title's line it takes.
    int paintValues(QPainter& painter, const QRect& title, const QRect& line,
                    const VerdictFigure& figure) const;

    std::array<VerdictFigure, cards> figures_;
};

} // namespace tilescope::views
