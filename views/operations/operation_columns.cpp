#include "views/operations/operation_columns.h"

#include <algorithm>
#include <type_traits>

#include "views/theme/text.h"

namespace tilescope::views {
namespace {

using Group = OperationGroup;

// A column that is a whole number of the group.
template <auto Member> std::int64_t numberOf(const Group& group) {
    if constexpr (std::is_member_function_pointer_v<decltype(Member)>)
        return (group.*Member)();
    else
        return static_cast<std::int64_t>(group.*Member);
}
template <auto Member> Cell numberCell(const Group& group, double) {
    return numberOf<Member>(group);
}
template <auto Member>
OperationColumn number(const char* key, const QString& title, CellKind kind, const QString& toolTip,
                       bool standard, bool executed = false) {
    return {QString::fromLatin1(key),
            title,
            kind,
            toolTip,
            standard,
            executed,
            numberCell<Member>,
            nullptr,
            numberOf<Member>};
}

template <auto Member>
OperationColumn share(const char* key, const QString& title, const QString& toolTip, bool standard,
                      bool executed) {
    return {QString::fromLatin1(key),
            title,
            CellKind::Share,
            toolTip,
            standard,
            executed,
            [](const Group& group, double total) -> Cell {
                return total > 0 ? Cell(static_cast<double>(numberOf<Member>(group)) / total)
                                 : Cell();
            },
            numberOf<Member>,
            nullptr};
}

// Nothing rather than a zero that would say something else.
template <auto Member> Cell realCell(const Group& group, double) {
    return group.*Member > 0 ? Cell(group.*Member) : Cell();
}

std::int64_t stepCount(const Group& group) {
    return static_cast<std::int64_t>(group.steps.size());
}

std::vector<OperationColumn> makeColumns() {
    using Kind = CellKind;
    const auto text = [](const char* key, const QString& title, auto value) {
        OperationColumn column{QString::fromLatin1(key), title, Kind::Text, {}};
        column.value = value;
        return column;
    };
    const QString estimate = Text::tr("Slowest tile, one execution of each operation, estimated");
    std::vector<OperationColumn> columns;
    columns.push_back(text("type", Text::tr("Type"), [](const Group& g, double) -> Cell {
        return g.type.empty() ? Cell() : Cell(g.type);
    }));
    columns.push_back(number<&Group::operations>("operations", Text::tr("Operations"), Kind::Count,
                                                 Text::tr("Operations of the model"), false));
    columns.push_back({QStringLiteral("steps"), Text::tr("Steps"), Kind::Count,
                       Text::tr("Leaves of the program tree"), true, false,
                       [](const Group& g, double) -> Cell { return stepCount(g); }, nullptr,
                       stepCount});
    columns.push_back(number<&Group::executions>(
        "executions", Text::tr("Executions"), Kind::Count,
        Text::tr("How often its steps were executed, all together, in all runs"), false, true));
    columns.push_back(number<&Group::measuredCycles>(
        "measured", Text::tr("Measured cycles"), Kind::Cycles,
        Text::tr("From the execution trace: every execution of every step, in all runs"), true,
        true));
    columns.push_back(share<&Group::measuredCycles>("measuredShare", Text::tr("Measured share"),
                                                    Text::tr("Of the measured cycles of all rows"),
                                                    true, true));
    columns.push_back(number<&Group::cycles>("cycles", Text::tr("Estimated cycles"), Kind::Cycles,
                                             estimate + Text::tr("; compute and exchange"), true));
    columns.push_back(share<&Group::cycles>("cyclesShare", Text::tr("Share"),
                                            Text::tr("Of the estimated cycles of all rows"), false,
                                            false));
    columns.push_back(number<&Group::computeCycles>("compute", Text::tr("Compute cycles"),
                                                    Kind::Cycles, estimate, true));
    columns.push_back(number<&Group::exchangeCycles>("exchange", Text::tr("Exchange cycles"),
                                                     Kind::Cycles, estimate, true));
    const auto real = [&](const char* key, const QString& title, Kind kind, const QString& toolTip,
                          bool standard, auto value) {
        OperationColumn column{QString::fromLatin1(key), title, kind, toolTip, standard};
        column.value = value;
        columns.push_back(column);
    };
    real("balance", Text::tr("Tile balance"), Kind::Share,
         Text::tr("Work of the tiles over the compute cycles of all tiles of the IPUs it uses"),
         true, realCell<&Group::balance>);
    real("flops", Text::tr("FLOPs"), Kind::Flops,
         Text::tr("Of one execution; a multiply-accumulate counts two"), true,
         realCell<&Group::flops>);
    columns.back().compared = numberOf<&Group::flops>;
    real("utilisation", Text::tr("FLOP utilisation"), Kind::Share,
         Text::tr("FLOPs over what the matrix units of the IPUs it uses could do in its estimated "
                  "cycles, at half precision if it has half variables"),
         true, realCell<&Group::utilisation>);
    columns.push_back(number<&Group::code>("code", Text::tr("Code"), Kind::Bytes,
                                           Text::tr("Vertex, exchange and control code, all tiles; "
                                                    "vertex code that rows share counts in each"),
                                           true));
    columns.push_back(number<&Group::vertexCode>("vertexCode", Text::tr("Vertex code"), Kind::Bytes,
                                                 Text::tr("Shared with other rows in part"),
                                                 false));
    columns.push_back(number<&Group::exchangeCode>("exchangeCode", Text::tr("Exchange code"),
                                                   Kind::Bytes, Text::tr("All tiles"), false));
    columns.push_back(number<&Group::controlCode>("controlCode", Text::tr("Control code"),
                                                  Kind::Bytes, Text::tr("All tiles"), false));
    columns.push_back(number<&Group::vertexState>("vertexState", Text::tr("Vertex state"),
                                                  Kind::Bytes, Text::tr("All tiles"), true));
    columns.push_back(number<&Group::variableBytes>("variables", Text::tr("Variables"), Kind::Bytes,
                                                    Text::tr("Variables and constants, all tiles"),
                                                    true));
    return columns;
}

} // namespace

const std::vector<OperationColumn>& operationColumns() {
    static const std::vector<OperationColumn> columns = makeColumns();
    return columns;
}

const OperationColumn* operationColumn(const QString& key) {
    const auto& columns = operationColumns();
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const OperationColumn& c) { return c.key == key; });
    return found == columns.end() ? nullptr : &*found;
}

} // namespace tilescope::views
