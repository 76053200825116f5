#include "core/report/compared_tables.h"

#include <algorithm>
#include <map>
#include <optional>

namespace tilescope {
namespace {

using Value = std::optional<std::int64_t>;

Cell changeOf(const Value& from, const Value& to) {
    return from || to ? Cell(Change(from.value_or(0), to.value_or(0))) : Cell();
}

constexpr const char* ofSource = "Target minus source; per cent of the source";

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

// Items of all columns, by their index in the matching of two profiles, otherwise by id.
class Items {
public:
    Items(const Matching* matching, std::size_t width)
        : matching_(matching)
        , width_(width) {}

    void add(std::vector<NamedValue>& values, std::size_t place, bool ofSource) {
        for (NamedValue& value : values) {
            Item& item = items_[keyOf(value.id, ofSource)];
            item.values.resize(width_);
            if (ofSource)
                item.id = value.id;
            if (ofSource || item.name.empty())
                item.name = std::move(value.name);
            item.values[place] = item.values[place].value_or(0) + value.value;
        }
    }

    std::vector<Item> largestFirst() {
        std::vector<Item> items;
        for (auto& [key, item] : items_)
            items.push_back(std::move(item));
        std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
            const std::int64_t largestA = a.largest();
            const std::int64_t largestB = b.largest();
            return largestA != largestB ? largestA > largestB : a.name < b.name;
        });
        return items;
    }

private:
    [[nodiscard]] std::int32_t keyOf(std::int32_t id, bool ofSource) const {
        if (matching_ == nullptr)
            return id;
        return ofSource ? matching_->placeInSource(id) : matching_->placeInTarget(id);
    }

    const Matching* matching_;
    std::size_t width_;
    std::map<std::int32_t, Item> items_;
};

/// The keys of source, target and difference begin with that of the column.
void addThree(Table& table, const Column& column, const std::string& targetTitle,
              const std::string& key, const std::string& help) {
    Column one = column;
    one.key = key + "Source";
    one.title = column.title + ", source";
    table.columns.push_back(one);
    one.key = key + "Target";
    one.title = targetTitle + ", target";
    table.columns.push_back(one);
    one.key = key + "Difference";
    one.title = "Difference";
    one.help = help;
    table.columns.push_back(std::move(one));
}

Row rowOf(const Item& item, bool comparing) {
    Row row{{item.name}, item.id};
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

std::vector<NamedValue> namedValues(const Table& table, std::string_view column) {
    const std::size_t name = table.columnOf("name");
    const std::size_t value = table.columnOf(column);
    std::vector<NamedValue> values;
    values.reserve(table.rows.size());
    for (const Row& row : table.rows)
        values.push_back({std::get<std::string>(row.cells[name]),
                          std::get<std::int64_t>(row.cells[value]), row.id});
    return values;
}

Table comparedTable(const std::string& nameTitle, Unit unit, std::vector<NamedValue> source,
                    std::vector<NamedValue> target, const Matching& matching) {
    Items items(&matching, 2);
    items.add(source, 0, true);
    items.add(target, 1, false);
    // Adding the cycles of the slowest tiles of different steps makes no sense.
    const bool isSum = unit != Unit::Cycles;
    Table table;
    table.columns = {{"name", nameTitle},
                     {"source", "Source", unit, {}, isSum},
                     {"target", "Target", unit, {}, isSum},
                     {"difference", "Difference", unit, ofSource, isSum}};
    for (const Item& item : items.largestFirst())
        table.rows.push_back(rowOf(item, true));
    std::stable_sort(table.rows.begin(), table.rows.end(),
                     [](const Row& a, const Row& b) { return cellLess(b.cells[3], a.cells[3]); });
    return table;
}

Table comparedByName(const std::string& nameTitle, Unit unit, std::vector<NamedValue> source,
                     std::vector<NamedValue> target) {
    std::vector<std::int32_t> ids;
    std::vector<std::string> before;
    std::vector<std::string> after;
    for (NamedValue& value : source) {
        ids.push_back(value.id);
        value.id = static_cast<std::int32_t>(before.size());
        before.push_back(value.name);
    }
    for (NamedValue& value : target) {
        value.id = static_cast<std::int32_t>(after.size());
        after.push_back(value.name);
    }
    Table table = comparedTable(nameTitle, unit, std::move(source), std::move(target),
                                matchNames(before, after));
    for (Row& row : table.rows)
        row.id = row.id < 0 ? -1 : ids[static_cast<std::size_t>(row.id)];
    return table;
}

Table tableOfTwo(const Table& source, const Table& target) {
    Table table{source.key, source.title, {}};
    table.summary = source.summary;
    const auto rows = std::max(source.rows.size(), target.rows.size());
    for (std::size_t r = 0; r < rows; ++r) {
        const Row& known = r < source.rows.size() ? source.rows[r] : target.rows[r];
        table.add({}, known.id, known.emphasised);
    }
    for (std::size_t c = 0; c < source.columns.size(); ++c) {
        Column column = source.columns[c];
        if (!isShown(column.shown, Shown::Window))
            column.shown = target.columns[c].shown;
        const bool isText = column.unit == Unit::None;
        if (isText)
            table.columns.push_back(column);
        else
            addThree(table, column, column.title, column.key, column.help);
        const bool differs = !isText && column.unit != Unit::Share;
        if (!isText && !differs)
            table.columns.pop_back();
        for (std::size_t r = 0; r < rows; ++r) {
            const Cell a = r < source.rows.size() ? source.rows[r].cells[c] : Cell();
            const Cell b = r < target.rows.size() ? target.rows[r].cells[c] : Cell();
            std::vector<Cell>& cells = table.rows[r].cells;
            cells.push_back(isText && a == Cell() ? b : a);
            if (!isText)
                cells.push_back(b);
            if (differs)
                cells.push_back(
                    numberOf(a) && numberOf(b) ? Cell(Change(*numberOf(a), *numberOf(b))) : Cell());
        }
    }
    return table;
}

Table columnTable(const std::string& nameTitle, Unit unit, const Matching* matching,
                  std::vector<ValueColumn> columns) {
    const bool comparing = matching != nullptr;
    Table table;
    table.columns.push_back({"name", nameTitle});
    const std::size_t sides = comparing ? 2 : 1;
    Items items(matching, sides * columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const ValueColumn& values = columns[i];
        const Column column{values.title, values.title, unit, {}, true};
        if (comparing)
            addThree(table, column, values.targetTitle.empty() ? values.title : values.targetTitle,
                     values.title, ofSource);
        else
            table.columns.push_back(column);
        items.add(columns[i].source, sides * i, true);
        if (comparing)
            items.add(columns[i].target, sides * i + 1, false);
    }
    if (!comparing && columns.size() == 2)
        table.columns.push_back(
            {"difference", "Difference", unit,
             columns[1].title + " minus " + columns[0].title + "; per cent of the latter", true});
    for (const Item& item : items.largestFirst())
        table.rows.push_back(rowOf(item, comparing));
    return table;
}

} // namespace tilescope
