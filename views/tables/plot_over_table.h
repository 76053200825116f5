// A plot with tables below it that share a height.
#pragma once

#include <QSplitter>

class QTabWidget;

namespace tilescope::views {

/// The tables get as much height as their rows need and no more, leaving the plot most of it, until
/// the user moves the line between them. They never shrink automatically, so that a plot does not
/// move when it is clicked.
class PlotOverTable : public QSplitter {
    Q_OBJECT
public:
    /// `plotShare`: the least share of the height for the plot.
    PlotOverTable(QWidget* plot, QTabWidget* tables, double plotShare, QWidget* parent = nullptr);

    /// Other tables are in front, or have other rows.
    void fit();
    /// Lets the tables shrink once, as other profiles are shown.
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
