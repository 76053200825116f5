// A plot with tables below it that share a height.
#pragma once

#include <QSplitter>

class QTabWidget;

namespace tilescope::views {

/// The tables have what their rows need and no more, and leave the plot most of the height, until
/// the user moves the line between them. They never shrink by themselves: a plot that one clicks
/// into stays where it is.
class PlotOverTable : public QSplitter {
    Q_OBJECT
public:
    /// `plotShare`: of the height, that the plot has at least.
    PlotOverTable(QWidget* plot, QTabWidget* tables, double plotShare, QWidget* parent = nullptr);

    /// Other tables are in front, or have other rows.
    void fit();
    /// The tables may shrink once: other profiles are shown.
    void startAnew();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Pixels that the tables need.
    [[nodiscard]] int needed() const;
    void share();

    QTabWidget* tables_;
    double plotShare_;
    int height_ = 0;     ///< that the tables have needed
    bool moved_ = false; ///< by the user
};

} // namespace tilescope::views
