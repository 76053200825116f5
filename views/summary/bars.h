// Two small charts: bars with names, and a histogram.
#pragma once

#include <vector>

#include "views/tables/cell_text.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// Horizontal bars, each with a name and its value, against a common limit.
class NamedBars : public PaintedWidget {
    Q_OBJECT
public:
    struct Bar {
        QString name;
        std::int64_t value = 0;
        QColor colour;
        std::int32_t id = -1;
    };
    explicit NamedBars(ViewContext& context, QWidget* parent = nullptr);
    /// A limit of 0 means none. `unit` is that of the values.
    void setBars(std::vector<Bar> bars, std::int64_t limit, Unit unit = Unit::Bytes);
    [[nodiscard]] const std::vector<Bar>& bars() const { return bars_; }
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void clicked(std::int32_t id);

protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] int nameWidth() const;

    std::vector<Bar> bars_;
    std::int64_t limit_ = 0;
    Unit unit_ = Unit::Bytes;
};

/// Counts of values between 0 and `limit` (and one bucket for more).
std::vector<std::int64_t> histogramOf(const std::vector<std::int64_t>& values, std::int64_t limit,
                                      int buckets);

/// Vertical bars over ranges of bytes.
class Histogram : public PaintedWidget {
    Q_OBJECT
public:
    explicit Histogram(ViewContext& context, QWidget* parent = nullptr);
    struct Series {
        std::vector<std::int64_t> counts; ///< the last bucket is beyond the limit
        QColor colour;
    };
    void setSeries(std::vector<Series> series, std::int64_t limit);
    [[nodiscard]] QSize sizeHint() const override { return {380, 170}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    std::vector<Series> series_;
    std::int64_t limit_ = 0;
};

} // namespace tilescope::views
