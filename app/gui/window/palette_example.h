// What the chosen colours look like on data.
#pragma once

#include <QWidget>

#include "views/session/view_context.h"

namespace tilescope::gui {

/// A piece of a trace, two curves and a bar of memory in the colours in force, each named.
class PaletteExample : public QWidget {
    Q_OBJECT
public:
    explicit PaletteExample(views::ViewContext& context, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    struct Sample {
        QString name;
        QColor colour;
        double share = 0; ///< of the row
    };
    [[nodiscard]] std::vector<std::vector<Sample>> rows() const;
    [[nodiscard]] int rowHeight() const;

    views::ViewContext& context_;
};

} // namespace tilescope::gui
