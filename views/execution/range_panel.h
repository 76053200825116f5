// The steps of a range of the execution, as a table that can be grouped and sorted.
#pragma once

#include "core/report/range_table.h"
#include "views/execution/trace_content.h"
#include "views/query/background_query.h"
#include "views/session/view_context.h"

class QComboBox;

namespace tilescope::views {

class TablePanel;

/// Which steps, operations, types or kinds run in the visible or selected range, and for how long;
/// of two profiles the totals beside each other.
class RangePanel : public QWidget {
    Q_OBJECT
public:
    explicit RangePanel(ViewContext& context, QWidget* parent = nullptr);
    /// Reads when it becomes visible; only the last call counts.
    void load(const TraceQuestion& question, CycleRange range, const QString& title);
    [[nodiscard]] TablePanel& table() { return *table_; }
    [[nodiscard]] QComboBox& group() { return *group_; }

signals:
    /// The user has chosen a row of the table of a range; it has programs.
    void chosen(const tilescope::RangeRow& row, tilescope::CycleRange range);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void read();
    [[nodiscard]] RangeRow rowOf(std::int32_t id) const;
    [[nodiscard]] Selected thingOf(std::int32_t id) const;

    BackgroundQuery query_;
    QComboBox* group_;
    TablePanel* table_;
    TraceQuestion question_;
    CycleRange range_;
    QString title_;
    bool stale_ = false;
    std::vector<RangeRow> rows_; ///< by the ids of the table that is shown
};

} // namespace tilescope::views
