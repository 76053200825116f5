// The first page of a comparison: everything that matters without scrolling.
#pragma once

#include <QWidget>

#include "views/compare/compact_table.h"
#include "views/compare/compare_content.h"
#include "views/compare/link_flow.h"
#include "views/compare/verdict_cards.h"

class QBoxLayout;
class QToolButton;
class QTreeView;

namespace tilescope::views {

/// The verdict of three figures, the headline figures, the operations whose plan changed, and the
/// ten largest causes of the change of memory and of cycles.
class OverviewPage : public QWidget {
    Q_OBJECT
public:
    static constexpr std::size_t mostCauses = 10;

    explicit OverviewPage(ViewContext& context, QWidget* parent = nullptr);
    /// `targetPeak` is the source's step that corresponds to the target's peak.
    void setComparison(ComparisonPtr comparison, StepId targetPeak);
    /// Call after a change of colours or units, which are part of the verdict's texts.
    void restyle();
    [[nodiscard]] const VerdictCards& verdict() const { return *verdict_; }
    void selectOperation(OperationId operation);

    [[nodiscard]] CompactTable& memory() { return *memory_; }
    [[nodiscard]] CompactTable& cycles() { return *cycles_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

signals:
    void operationChosen(std::int32_t operation);
    /// A row was activated (double click, Enter) or a link followed.
    void placeWanted(const QString& report, std::int32_t operation, StepId step);
    void plansWanted();
    /// An operation's place in the execution of the source or, by the target's id, of the target.
    void traceWanted(tilescope::OperationId operation, bool target);

private:
    /// Buttons that lead from the selected cause to its place in either profile.
    struct Places {
        QToolButton* source = nullptr;
        QToolButton* target = nullptr;
    };
    void makePlaces();
    void updatePlaces();
    [[nodiscard]] const Cause* selected(const CompactTable& table, const CauseList& list) const;
    void showPeak(StepId step);
    void fillPlans();

    ViewContext& context_;
    ComparisonPtr comparison_;
    VerdictCards* verdict_;
    std::vector<QBoxLayout*> rows_; ///< of two parts, side by side or below each other
    ValueTreeView* figures_;
    LinkFlow* plans_;
    CompactTable* memory_;
    CompactTable* cycles_;
    Places peaks_;
    Places steps_;
    StepId targetPeak_;
};

} // namespace tilescope::views
