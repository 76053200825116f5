// The steps of an execution over time.
#pragma once

#include <QWidget>

#include "views/execution/trace_content.h"
#include "views/plot/trace/trace_plot.h"
#include "views/query/background_query.h"

namespace tilescope::views {

/// A TracePlot that reads what it shows: everything coarsely, then what is in sight as the range of
/// cycles or the rows change, the picture before stretched meanwhile.
class LanesPane : public QWidget {
    Q_OBJECT
public:
    explicit LanesPane(ViewContext& context, QWidget* parent = nullptr);

    /// Reads another execution or other rows of it, `length` cycles.
    void load(const TraceQuestion& question, std::int64_t length);
    void cancel() { query_.cancel(); }
    /// Whether there is an execution to show.
    [[nodiscard]] bool loaded() const { return plot_->trace().overview() != nullptr; }
    [[nodiscard]] TracePlot& plot() { return *plot_; }

signals:
    /// The steps of each lane, coarsely; of the host what was before them, if that is shown.
    void overviewRead(const std::vector<tilescope::views::TraceRow>& rows);
    /// One step was clicked, by its execution index.
    void stepClicked(qint64 step, bool target);
    /// A stream copy of the host, by the cycle at which it begins.
    void copyClicked(qint64 begin, bool target);
    /// A box of several steps.
    void rangeClicked(tilescope::CycleRange range);
    void emptyClicked();
    void status(const QString& text);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void refresh();
    void clicked(double x, double y);
    void zoomTo(const QMouseEvent& event);
    [[nodiscard]] QString readOut(double x, double y) const;

    ViewContext& context_;
    TracePlot* plot_;
    TraceQuestion question_;
    BackgroundQuery query_;
};

} // namespace tilescope::views
