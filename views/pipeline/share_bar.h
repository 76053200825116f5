// Where the time of a pipeline's IPUs goes, as one bar.
#pragma once

#include <QWidget>

#include "views/session/view_context.h"

namespace tilescope::views {

/// Parts of a whole: a bar, and below it a line for each part with its share.
class ShareBar : public QWidget {
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
    bool event(QEvent* event) override;

private:
    [[nodiscard]] int titleHeight() const;
    [[nodiscard]] QRect lineRect(std::size_t part) const;

    ViewContext& context_;
    QString title_;
    std::vector<Part> parts_;
};

} // namespace tilescope::views
