#include "core/database/stored_table.h"

namespace tilescope {

std::string TableText::create(std::string_view name) const {
    constexpr std::size_t width = 100;
    const bool isOneColumn = key.find(',') == std::string_view::npos;
    std::vector<std::string> items = columns;
    for (std::string& item : items)
        item += item.substr(0, item.find(' ')) == key ? " PRIMARY KEY," : ",";
    if (!isOneColumn)
        items.push_back(fmt::format("PRIMARY KEY({})", key) + ',');
    items.back().back() = ')';
    items.back() += isOneColumn ? "" : " WITHOUT ROWID";
    std::string sql = '(' + items.front();
    std::size_t used = std::string_view("CREATE TABLE ").size() + name.size() + sql.size();
    for (std::size_t i = 1; i < items.size(); ++i) {
        const bool fits = used + 1 + items[i].size() < width;
        sql += (fits ? " " : "\n    ") + items[i];
        used = (fits ? used + 1 : 4) + items[i].size();
    }
    return sql;
}

} // namespace tilescope
