// Where the time of a pipeline's IPUs goes, as one bar.
#pragma once

#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// Parts of a whole: a bar, and below it a line for each part with its share.
class ShareBar : public PaintedWidget {
    Q_OBJECT
public:
    struct Part {
        QString name;
        QString explanation; ///< tool tip
        double share = 0;    ///< 0 to 1
        QColor (*colour)(const Theme&) = nullptr;
    };
    explicit ShareBar(ViewContext& context, QWidget* parent = nullptr);
    /// `title` is above; may be empty.
    void setParts(const QString& title, std::vector<Part> parts);
    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override;
    [[nodiscard]] QString toolTipAt(const QPoint& position) const override;

private:
    [[nodiscard]] int titleHeight() const;
    [[nodiscard]] QRect lineRect(std::size_t part) const;

    QString title_;
    std::vector<Part> parts_;
};

} // namespace tilescope::views
