// The tabs below an execution.
#pragma once

#include <QTabWidget>

#include "views/execution/calls_panel.h"
#include "views/execution/executions_panel.h"
#include "views/execution/marks_panel.h"
#include "views/execution/range_field.h"
#include "views/execution/range_panel.h"
#include "views/execution/record_panel.h"
#include "views/execution/statistics_panel.h"
#include "views/execution/step_panel.h"

namespace tilescope::views {

/// Statistics and steps of the visible or selected range, details of the selected step, the user's
/// marks and the program's graphs. Beside the tabs: what the colours mean, and the visible range.
class TraceTabs : public QTabWidget {
    Q_OBJECT
public:
    explicit TraceTabs(ViewContext& context);

    [[nodiscard]] RangePanel& inRange() { return *inRange_; }
    [[nodiscard]] StepPanel& step() { return *step_; }
    [[nodiscard]] CallsPanel& calls() { return *calls_; }
    [[nodiscard]] ExecutionsPanel& executions() { return *executions_; }
    [[nodiscard]] MarksModel& marks() { return *marks_; }
    [[nodiscard]] MarksPanel& marksPanel() { return *marksPanel_; }
    [[nodiscard]] RangeField& range() { return *range_; }
    void setColours(ColourBy colours) { colours_->setCurrentIndex(static_cast<int>(colours)); }
    [[nodiscard]] ColourBy colours() const {
        return static_cast<ColourBy>(colours_->currentIndex());
    }

    /// Reads the statistics and steps of the selected range or, without one, of the visible range.
    void load(const TraceQuestion& question, const std::optional<CycleRange>& selected);
    void cancel() { statistics_->cancel(); }
    /// Shows the tabs of the program's calls and graphs if there are any.
    void showRecord(std::shared_ptr<const HostRecord> record, double clockHz);
    void showCalls(const Hosts& hosts);
    /// Which colours there are besides those of every execution: of pipelines, of two profiles.
    void setPossible(bool pipelined, bool comparing);
    /// Marks a range and lets the user write its text.
    void annotate(CycleRange range);
    /// Makes the controls beside the tabs fit in a view of this width.
    void fit(int width);

signals:
    void coloursChanged();
    void status(const QString& text);

private:
    QWidget* makeCorner();
    void showCount();

    ViewContext& context_;
    StatisticsPanel* statistics_;
    RangePanel* inRange_;
    CallsPanel* calls_;
    StepPanel* step_;
    ExecutionsPanel* executions_;
    MarksModel* marks_;
    MarksPanel* marksPanel_;
    RecordPanel* record_;
    RangeField* range_;
    QComboBox* colours_;
};

} // namespace tilescope::views
