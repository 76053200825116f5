// The pages of a comparison: their names and groups, and where their rows lead.
#pragma once

#include <optional>

#include "core/analysis/insights/losses.h"
#include "views/compare/compare_view.h"

namespace tilescope::views {

/// A page with its table.
struct ComparePage {
    CompareView::Page page;
    int group;         ///< 0: the overview
    const char* title; ///< of its tab
    const char* filterHint;
    const char* report;       ///< that its rows lead to; empty if that depends on the row
    int table = -1;           ///< of Comparison::tables; -1: it has no such table
    const char* oldName = ""; ///< former title, by which the page is found too
};

/// In the order of the tabs.
const std::array<ComparePage, CompareView::pages>& comparePages();
const ComparePage& comparePage(CompareView::Page page);
QString groupTitle(int group);
inline constexpr int compareGroups = 5;
/// Of a simulated and a measured profile; hidden for others.
inline constexpr int calibrationGroup = 4;

/// Where the cycles of a loss are looked for: a page of the comparison, or another report.
struct LossPage {
    std::optional<CompareView::Page> page;
    QString report;
};
LossPage pageOf(LossKind kind);

} // namespace tilescope::views
