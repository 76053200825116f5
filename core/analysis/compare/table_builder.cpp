#include "core/analysis/compare/table_builder.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "core/analysis/compare/names.h"

namespace tilescope {
namespace {

/// Items by the places of their matches.
template <class PlaceOf>
std::vector<const TableItem*> byPlace(const std::vector<TableItem>& items, std::size_t places,
                                      PlaceOf placeOf) {
    std::vector<const TableItem*> found(places);
    for (const TableItem& item : items)
        if (const std::int32_t place = placeOf(item.id); place >= 0)
            found[static_cast<std::size_t>(place)] = &item;
    return found;
}

std::vector<std::optional<std::int64_t>> valuesOf(const TableItem* item, std::size_t columns) {
    if (item == nullptr)
        return std::vector<std::optional<std::int64_t>>(columns);
    return {item->values.begin(), item->values.end()};
}

ComparedRow rowOf(const TableItem* source, const TableItem* target, std::size_t columns,
                  DetailChange change) {
    const TableItem& known = source != nullptr ? *source : *target;
    ComparedRow row;
    row.name = known.name;
    row.kind = known.kind;
    row.before = valuesOf(source, columns);
    row.after = valuesOf(target, columns);
    if (source != nullptr)
        row.source = source->id;
    if (target != nullptr)
        row.target = target->id;
    if (source == nullptr || target == nullptr)
        return row;
    if (comparableName(source->name) != comparableName(target->name))
        row.targetName = target->name;
    if (source->detail != target->detail)
        row.detail = change(source->detail, target->detail);
    return row;
}

} // namespace

std::string fromTo(const std::string& source, const std::string& target) {
    return fmt::format("{} -> {}", source.empty() ? "none" : source,
                       target.empty() ? "none" : target);
}

ComparedTable makeComparedTable(ComparedTable table, const Matching& matching,
                                const std::vector<TableItem>& source,
                                const std::vector<TableItem>& target, DetailChange change) {
    const std::size_t places = matching.matches().size();
    const auto before =
        byPlace(source, places, [&](std::int32_t id) { return matching.placeInSource(id); });
    const auto after =
        byPlace(target, places, [&](std::int32_t id) { return matching.placeInTarget(id); });
    for (std::size_t i = 0; i < places; ++i)
        if (before[i] != nullptr || after[i] != nullptr)
            table.rows.push_back(rowOf(before[i], after[i], table.columns.size(), change));
    sortByChange(table);
    return table;
}

void sortByChange(ComparedTable& table) {
    std::stable_sort(table.rows.begin(), table.rows.end(),
                     [&](const ComparedRow& a, const ComparedRow& b) {
                         for (std::size_t i = 0; i < table.columns.size(); ++i) {
                             const std::int64_t first = std::abs(a.difference(i));
                             const std::int64_t second = std::abs(b.difference(i));
                             if (first != second)
                                 return first > second;
                         }
                         return a.changed() != b.changed() ? a.changed() : a.name < b.name;
                     });
}

bool ComparedRow::changed() const {
    return source < 0 || target < 0 || !targetName.empty() || !detail.empty() || before != after;
}

std::string_view ComparedRow::state() const {
    if (source < 0)
        return "added";
    if (target < 0)
        return "removed";
    return !targetName.empty() ? "renamed" : changed() ? "changed" : "same";
}

std::int64_t ComparedRow::difference(std::size_t column) const {
    return after.at(column).value_or(0) - before.at(column).value_or(0);
}

std::size_t ComparedTable::changes() const {
    return static_cast<std::size_t>(std::count_if(
        rows.begin(), rows.end(), [](const ComparedRow& row) { return row.changed(); }));
}

void sortByChange(CauseList& list) {
    std::int64_t all = 0;
    for (const Cause& cause : list.causes)
        all += std::abs(cause.difference());
    const auto whole = static_cast<double>(list.after < list.before ? -all : all);
    for (Cause& cause : list.causes)
        cause.share = all > 0 ? static_cast<double>(cause.difference()) / whole : 0;
    std::stable_sort(list.causes.begin(), list.causes.end(), [](const Cause& a, const Cause& b) {
        return std::abs(a.difference()) > std::abs(b.difference());
    });
}

} // namespace tilescope
