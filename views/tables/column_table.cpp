#include "views/tables/column_table.h"

#include <algorithm>
#include <map>
#include <optional>

#include "views/theme/text.h"

namespace tilescope::views {
namespace {

using Value = std::optional<std::int64_t>;

struct Item {
    std::string name;
    std::int32_t id = -1;
    std::vector<Value> values; ///< source and target of each column, or its only value
    [[nodiscard]] std::int64_t largest() const {
        std::int64_t largest = 0;
        for (const Value& value : values)
            largest = std::max(largest, value.value_or(0));
        return largest;
    }
};

// Items of all columns. A name stands for an item between profiles, an id within one.
class Items {
public:
    Items(bool byName, std::size_t width)
        : byName_(byName)
        , width_(width) {}

    void add(std::vector<NamedValue>& values, std::size_t place, bool ofSource) {
        for (NamedValue& value : values) {
            Item& item = byName_ || value.id < 0 ? names_[value.name] : ids_[value.id];
            if (item.values.empty()) {
                item.values.resize(width_);
                item.name = std::move(value.name);
            }
            if (ofSource)
                item.id = value.id;
            item.values[place] = item.values[place].value_or(0) + value.value;
        }
    }

    std::vector<Item> largestFirst() {
        std::vector<Item> items;
        for (auto& [name, item] : names_)
            items.push_back(std::move(item));
        for (auto& [id, item] : ids_)
            items.push_back(std::move(item));
        std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
            const std::int64_t largestA = a.largest();
            const std::int64_t largestB = b.largest();
            return largestA != largestB ? largestA > largestB : a.name < b.name;
        });
        return items;
    }

private:
    bool byName_;
    std::size_t width_;
    std::map<std::string, Item> names_;
    std::map<std::int32_t, Item> ids_;
};

Cell changeOf(const Value& from, const Value& to) {
    return from || to ? Cell(Change{from.value_or(0), to.value_or(0)}) : Cell();
}

void addColumns(DataTable& table, const ValueColumn& column, CellKind kind, bool comparing) {
    if (!comparing) {
        table.columns.push_back({column.title, kind, {}, true});
        return;
    }
    table.columns.push_back({Text::tr("%1, source").arg(column.title), kind, {}, true});
    const QString& target = column.targetTitle.isEmpty() ? column.title : column.targetTitle;
    table.columns.push_back({Text::tr("%1, target").arg(target), kind, {}, true});
    table.columns.push_back({Text::tr("Difference"), changeKindOf(kind),
                             Text::tr("Target minus source; per cent of the source"), true});
}

DataRow rowOf(const Item& item, bool comparing) {
    DataRow row{{item.name}, item.id};
    for (std::size_t i = 0; i < item.values.size(); ++i) {
        row.cells.push_back(cellOf(item.values[i]));
        if (comparing && i % 2 == 1)
            row.cells.push_back(changeOf(item.values[i - 1], item.values[i]));
    }
    if (!comparing && item.values.size() == 2)
        row.cells.push_back(changeOf(item.values[0], item.values[1]));
    return row;
}

} // namespace

DataTable columnTable(const QString& nameTitle, CellKind kind, bool comparing,
                      std::vector<ValueColumn> columns) {
    DataTable table;
    table.columns.push_back({nameTitle, CellKind::Text, {}});
    const std::size_t sides = comparing ? 2 : 1;
    Items items(comparing, sides * columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        addColumns(table, columns[i], kind, comparing);
        items.add(columns[i].source, sides * i, true);
        if (comparing)
            items.add(columns[i].target, sides * i + 1, false);
    }
    if (!comparing && columns.size() == 2)
        table.columns.push_back({Text::tr("Difference"), changeKindOf(kind),
                                 Text::tr("%1 minus %2; per cent of the latter")
                                     .arg(columns[1].title, columns[0].title),
                                 true});
    for (const Item& item : items.largestFirst())
        table.rows.push_back(rowOf(item, comparing));
    return table;
}

} // namespace tilescope::views
