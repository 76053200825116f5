#include "views/compare/compare_pages.h"

namespace tilescope::views {
namespace {

using Page = CompareView::Page;

constexpr std::array<ComparePage, CompareView::pages> pageList{
    ComparePage{Page::Overview, 0, QT_TRANSLATE_NOOP("CompareView", "Overview"), "", ""},
    {Page::MemoryCauses, 1, QT_TRANSLATE_NOOP("CompareView", "Causes"),
     QT_TRANSLATE_NOOP("CompareView", "Filter causes"), "", -1, "Memory"},
    {Page::Variables, 1, QT_TRANSLATE_NOOP("CompareView", "Variables"),
     QT_TRANSLATE_NOOP("CompareView", "Filter variables"), "variables", 1},
    {Page::Aligned, 1, QT_TRANSLATE_NOOP("CompareView", "Aligned"),
     QT_TRANSLATE_NOOP("CompareView", "Filter operations"), ""},
    {Page::CycleCauses, 2, QT_TRANSLATE_NOOP("CompareView", "Cycles"),
     QT_TRANSLATE_NOOP("CompareView", "Filter causes"), ""},
    {Page::ComputeSets, 2, QT_TRANSLATE_NOOP("CompareView", "Compute sets"),
     QT_TRANSLATE_NOOP("CompareView", "Filter compute sets"), "programs", 2},
    {Page::Exchanges, 2, QT_TRANSLATE_NOOP("CompareView", "Exchanges"),
     QT_TRANSLATE_NOOP("CompareView", "Filter exchanges"), "exchanges", 3},
    {Page::Operations, 3, QT_TRANSLATE_NOOP("CompareView", "Operations"),
     QT_TRANSLATE_NOOP("CompareView", "Filter operations"), "operations", 0},
    {Page::Plans, 3, QT_TRANSLATE_NOOP("CompareView", "Plans"),
     QT_TRANSLATE_NOOP("CompareView", "Filter plans"), ""},
    {Page::Programs, 3, QT_TRANSLATE_NOOP("CompareView", "Programs"),
     QT_TRANSLATE_NOOP("CompareView", "Filter programs"), "programs", 5},
    {Page::Vertices, 3, QT_TRANSLATE_NOOP("CompareView", "Vertices"),
     QT_TRANSLATE_NOOP("CompareView", "Filter vertices"), "vertices", 4},
    {Page::Options, 3, QT_TRANSLATE_NOOP("CompareView", "Options"),
     QT_TRANSLATE_NOOP("CompareView", "Filter options"), ""},
    {Page::Calibration, calibrationGroup, QT_TRANSLATE_NOOP("CompareView", "Steps"),
     QT_TRANSLATE_NOOP("CompareView", "Filter steps"), "trace"}};

constexpr const char* groupTitles[compareGroups]{
    QT_TRANSLATE_NOOP("CompareView", "Overview"), QT_TRANSLATE_NOOP("CompareView", "Memory"),
    QT_TRANSLATE_NOOP("CompareView", "Time"),
    QT_TRANSLATE_NOOP("CompareView", "Program and options"),
    QT_TRANSLATE_NOOP("CompareView", "Calibration")};

// The list is in the order of the enumeration.
constexpr bool isInOrder() {
    for (std::size_t i = 0; i < pageList.size(); ++i)
        if (static_cast<std::size_t>(pageList[i].page) != i)
            return false;
    return true;
}
static_assert(isInOrder());

} // namespace

const std::array<ComparePage, CompareView::pages>& comparePages() {
    return pageList;
}

const ComparePage& comparePage(Page page) {
    return pageList.at(static_cast<std::size_t>(page));
}

QString groupTitle(int group) {
    return CompareView::tr(groupTitles[group]);
}

LossPage pageOf(LossKind kind) {
    switch (kind) {
    case LossKind::Compute:
    case LossKind::Utilisation:
        return {Page::Operations, {}};
    case LossKind::TileImbalance:
    case LossKind::Copies:
        return {Page::ComputeSets, {}};
    case LossKind::Exchange:
    case LossKind::GlobalExchange:
        return {Page::Exchanges, {}};
    case LossKind::Host:
    case LossKind::StreamingMemory:
    case LossKind::Sync:
        return {Page::Programs, {}};
    case LossKind::Bubbles:
    case LossKind::StageImbalance:
        return {std::nullopt, QStringLiteral("pipeline")};
    case LossKind::Idle:
        return {std::nullopt, QStringLiteral("trace")};
    case LossKind::Memory:
        break;
    }
    return {Page::MemoryCauses, {}};
}

} // namespace tilescope::views
