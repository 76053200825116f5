#include "core/report/compared_tables.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/analysis/compare/names.h"

namespace tilescope {
namespace {

using Value = std::optional<std::int64_t>;

struct Matched {
    Value source;
    Value target;
    std::int32_t id = -1;
    std::string name; ///< as it is shown
};

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
                    std::vector<NamedValue> target) {
    std::map<std::string, Matched> byName;
    // The compiler's own counting does not make another name: copy3_Copy_x is copy5_Copy_x.
    const auto matchedTo = [&](std::string& name) -> Matched& {
        Matched& matched = byName[comparableName(name)];
        if (matched.name.empty())
            matched.name = std::move(name);
        return matched;
    };
    for (NamedValue& row : source) {
        Matched& matched = matchedTo(row.name);
        matched.source = matched.source.value_or(0) + row.value;
        matched.id = row.id;
    }
    for (NamedValue& row : target) {
        Matched& matched = matchedTo(row.name);
        matched.target = matched.target.value_or(0) + row.value;
    }
    // Cycles of the slowest tiles of different steps are no sum of anything.
    const bool isSum = unit != Unit::Cycles;
    Table table;
    table.columns = {{"name", nameTitle},
                     {"source", "Source", unit, {}, isSum},
                     {"target", "Target", unit, {}, isSum},
                     {"difference", "Difference", unit, ofSource, isSum}};
    for (const auto& [key, matched] : byName)
        table.add({matched.name, cellOf(matched.source), cellOf(matched.target),
                   changeOf(matched.source, matched.target)},
                  matched.id);
    std::stable_sort(table.rows.begin(), table.rows.end(),
                     [](const Row& a, const Row& b) { return cellLess(b.cells[3], a.cells[3]); });
    return table;
}

Table tableOfTwo(const Table& source, const Table& target) {
    Table table{source.key, source.title, {}, {}};
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

Table columnTable(const std::string& nameTitle, Unit unit, bool comparing,
                  std::vector<ValueColumn> columns) {
    Table table;
    table.columns.push_back({"name", nameTitle});
    const std::size_t sides = comparing ? 2 : 1;
    Items items(comparing, sides * columns.size());
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
