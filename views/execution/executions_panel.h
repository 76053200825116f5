// All executions of the selected step: how long they take, and the longest.
#pragma once

#include "core/trace/step_durations.h"
#include "views/execution/trace_content.h"
#include "views/query/background_query.h"
#include "views/widgets/painted_widget.h"

class QLabel;

namespace tilescope::views {

/// Executions by their cycles, in columns of equal width; of two profiles the source's as areas and
/// the target's as a line, in one plot with one scale.
class DurationHistogram : public PaintedWidget {
    Q_OBJECT
public:
    explicit DurationHistogram(ViewContext& context, QWidget* parent = nullptr);
    /// `target` may have none. The clocks (Hz) are those of the machines.
    void showDurations(const StepDurations& source, const StepDurations& target, double clockHz);
    /// Executions by column; `of` is 0 for the source, 1 for the target.
    [[nodiscard]] const std::vector<std::int64_t>& columns(std::size_t of) const {
        return columns_.at(of);
    }
    [[nodiscard]] QSize sizeHint() const override { return {400, 120}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    [[nodiscard]] QString toolTipAt(const QPoint& position) const override;

private:
    [[nodiscard]] QRect area() const;
    [[nodiscard]] QString cyclesAt(std::size_t column) const;
    void paintColumns(QPainter& painter, const QRect& plot) const;
    void paintAxis(QPainter& painter, const QRect& plot) const;

    std::array<std::vector<std::int64_t>, 2> columns_;
    std::int64_t least_ = 0, most_ = 0; ///< cycles
    std::int64_t highest_ = 0;          ///< executions
    double clockHz_ = 0;
};

/// The distribution with its figures, and links to the longest executions. Reads when it becomes
/// visible.
class ExecutionsPanel : public QWidget {
    Q_OBJECT
public:
    explicit ExecutionsPanel(ViewContext& context, QWidget* parent = nullptr);
    /// The executions of a program of the source or target, and of its match in the other.
    void load(const ProfilePair& profiles, ProgramId program, bool target);
    /// Nothing is selected.
    void clear();
    [[nodiscard]] DurationHistogram& histogram() { return *histogram_; }
    [[nodiscard]] QLabel& figures() { return *figures_; }
    [[nodiscard]] QLabel& links() { return *links_; }

signals:
    /// A link to an execution was chosen.
    void stepWanted(qint64 step, bool target);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void read();
    struct Read {
        QString name;
        StepDurations source, target;
        std::array<double, 2> clockHz{};
    };
    static Read readOf(const ProfilePair& profiles, ProgramId program, bool target,
                       const std::stop_token& stop);
    void showRead(const Read& read);

    ViewContext& context_;
    BackgroundQuery query_;
    QLabel* figures_;
    DurationHistogram* histogram_;
    QLabel* links_;
    ProfilePair profiles_;
    ProgramId program_;
    bool target_ = false;
    bool stale_ = false;
};

} // namespace tilescope::views
