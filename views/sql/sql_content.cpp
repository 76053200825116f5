#include "views/sql/sql_content.h"

#include <QElapsedTimer>
#include <QRegularExpression>

#include "core/database/database.h"
#include "core/report/report_query.h"
#include "core/store/schema.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

QString cell(const SqlResult& result, std::size_t row, std::size_t column) {
    return QString::fromStdString(plainText(result.rows.at(row).at(column)));
}

std::string literal(const QString& text) {
    return QString(text).replace(QLatin1Char('\''), QLatin1String("''")).toStdString();
}

// Sums by name in both profiles, the largest differences first.
QString bothSides(const QString& table, const QString& quantity) {
    return QStringLiteral("SELECT name, sum(source) AS source, sum(target) AS target,\n"
                          "       sum(target) - sum(source) AS difference\n"
                          "FROM (SELECT name, %2 AS source, 0 AS target FROM %1\n"
                          "      UNION ALL\n"
                          "      SELECT name, 0, %2 FROM target.%1)\n"
                          "GROUP BY name\nORDER BY abs(difference) DESC\nLIMIT 100")
        .arg(table, quantity);
}

Table tableOf(const SqlResult& result) {
    Table table;
    for (const std::string& name : result.columns)
        table.columns.push_back({name, name});
    const auto cellOf = [](const auto& value) -> Cell {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, BlobSize>)
            return plainText(value);
        else
            return value;
    };
    for (const std::vector<SqlValue>& values : result.rows) {
        Row& row = table.add({});
        for (const SqlValue& value : values)
            row.cells.push_back(std::visit(cellOf, value));
    }
    return table;
}

// The functions of core/store/sql_functions.h.
std::vector<SchemaEntry> functions() {
    using Kind = SchemaEntry::Kind;
    return {
        {Kind::Function, QStringLiteral("tile_sum(blob)"), {}, Text::tr("Sum over all tiles")},
        {Kind::Function, QStringLiteral("tile_max(blob)"), {}, Text::tr("Largest of all tiles")},
        {Kind::Function, QStringLiteral("tile_at(blob, tile)"), {}, Text::tr("Of one tile")},
        {Kind::Function,
         QStringLiteral("tile_runs(blob)"),
         {QStringLiteral("first_tile"), QStringLiteral("tiles"), QStringLiteral("value")},
         Text::tr("A table: neighbouring tiles of equal value")},
        {Kind::Function,
         QStringLiteral("tile_values(blob)"),
         {QStringLiteral("tile"), QStringLiteral("value")},
         Text::tr("A table: the value of each tile that has one")},
        {Kind::Function,
         QStringLiteral("tile_map(tile)"),
         {QStringLiteral("variable"), QStringLiteral("offset"), QStringLiteral("bytes")},
         Text::tr("A table: addresses on one tile")}};
}

} // namespace

QString schemaNote(const QString& name) {
    static const QString schema = QString::fromStdString(profileSchemaSql());
    const QRegularExpression create(
        QStringLiteral("((?:^--[^\\n]*\\n)+)CREATE (?:TABLE|VIEW) %1\\b")
            .arg(QRegularExpression::escape(name)),
        QRegularExpression::MultilineOption);
    QString note = create.match(schema).captured(1);
    note.replace(QRegularExpression(QStringLiteral("^-- ?"), QRegularExpression::MultilineOption),
                 QString());
    return note.simplified();
}

std::vector<SchemaEntry> readSchema(const ProfileView& profile, const std::stop_token& stop) {
    const ProfileReader reader = profile.reader(stop);
    const SqlResult tables = reader.query("SELECT name, type FROM sqlite_master WHERE type IN "
                                          "('table', 'view') ORDER BY type, name");
    std::vector<SchemaEntry> entries;
    for (std::size_t i = 0; i < tables.rows.size(); ++i) {
        SchemaEntry entry;
        entry.name = cell(tables, i, 0);
        entry.kind = cell(tables, i, 1) == QLatin1String("view") ? SchemaEntry::Kind::View
                                                                 : SchemaEntry::Kind::Table;
        entry.note = schemaNote(entry.name);
        const SqlResult columns =
            reader.query("SELECT name FROM pragma_table_info('" + literal(entry.name) + "')");
        for (std::size_t c = 0; c < columns.rows.size(); ++c)
            entry.columns.append(cell(columns, c, 0));
        entries.push_back(std::move(entry));
    }
    for (SchemaEntry& function : functions())
        entries.push_back(std::move(function));
    return entries;
}

SqlAnswer answerTo(const QString& sql, const ProfileView& profile, const ProfileView* other,
                   std::size_t maxRows, const std::stop_token& stop) {
    ProfileReader reader = profile.reader(stop);
    SqlAnswer answer;
    QElapsedTimer timer;
    timer.start();
    const QByteArray utf8 = sql.toUtf8();
    try {
        if (other != nullptr)
            reader.attach(other->file(), "target");
        const SqlResult result = queryReports(reader, utf8.toStdString(), maxRows);
        answer.truncated = result.truncated;
        answer.table = tableOf(result);
    } catch (const SqlError& error) {
        answer.error = QString::fromStdString(error.reason());
        if (error.offset())
            answer.errorAt =
                QString::fromUtf8(utf8.left(static_cast<qsizetype>(*error.offset()))).size();
    } catch (const UserError& error) {
        answer.error = QString::fromStdString(error.what());
    }
    answer.milliseconds = timer.elapsed();
    return answer;
}

std::vector<SqlExample> sqlExamples() {
    const auto sql = [](const char* text) { return QString::fromLatin1(text); };
    return {
        {Text::tr("Fullest tiles"),
         sql("SELECT tile, ipu, total, excluding_gaps, always_live, max_not_always_live,\n"
             "       overflowed\n"
             "FROM memory_by_tile\nORDER BY total DESC\nLIMIT 50")},
        {Text::tr("Largest variables"),
         sql("SELECT v.name, c.name AS category, o.name AS operation, v.type, v.shape,\n"
             "       v.total_bytes, v.max_tile_bytes, v.max_tile\n"
             "FROM variables v\nJOIN var_categories c ON c.id = v.category\n"
             "LEFT JOIN operations o ON o.id = v.operation\n"
             "ORDER BY v.total_bytes DESC\nLIMIT 100")},
        {Text::tr("Memory by category and region"),
         sql("SELECT c.name AS category, m.region, sum(m.bytes) AS bytes,\n"
             "       max(tile_max(m.bytes_by_tile)) AS on_fullest_tile\n"
             "FROM memory_by_category m\nJOIN var_categories c ON c.id = m.category\n"
             "GROUP BY c.name, m.region\nORDER BY bytes DESC")},
        {Text::tr("What lies on a tile"),
         sql("SELECT m.offset, m.bytes, v.name, v.always_live\nFROM tile_map(0) m\n"
             "JOIN variables v ON v.id = m.variable\nORDER BY m.offset")},
        {Text::tr("Steps with most live memory"),
         sql("SELECT l.step, l.not_always_live, p.name, p.kind\nFROM liveness_steps l\n"
             "JOIN programs p ON p.id = l.program\nORDER BY l.not_always_live DESC\nLIMIT 50")},
        {Text::tr("Compute cycles of operations"),
         sql("SELECT o.name, o.type, o.flops, count(*) AS compute_sets, sum(s.cycles) AS cycles,\n"
             "       o.flops / max(1, sum(s.cycles)) AS flops_per_cycle\nFROM operations o\n"
             "JOIN compute_sets s ON s.operation = o.id\nGROUP BY o.id\nORDER BY cycles DESC")},
        {Text::tr("Compute sets with idle tiles"),
         sql("-- balance: cycles of all tiles over those of the slowest on every tile\n"
             "SELECT name, cycles,\n       tile_sum(cycles_by_tile) * 1.0 / cycles /\n"
             "       (SELECT count(*) FROM memory_by_tile) AS balance\nFROM compute_sets\n"
             "WHERE cycles > 0\nORDER BY cycles * (1 - balance) DESC\nLIMIT 100")},
        {Text::tr("Vertex types by code"),
         sql("SELECT t.name, t.code_bytes, tile_sum(t.code_by_tile) AS code_on_all_tiles,\n"
             "       sum(i.vertices) AS vertices, sum(i.state_bytes) AS state\n"
             "FROM vertex_types t\nJOIN vertex_instances i ON i.vertex_type = t.id\n"
             "GROUP BY t.id\nORDER BY code_on_all_tiles DESC")},
        {Text::tr("Longest exchanges"),
         sql("SELECT e.name, o.name AS operation, e.bytes, e.cycles, e.code_bytes, e.run_bytes\n"
             "FROM exchanges e\nLEFT JOIN operations o ON o.id = e.operation\n"
             "ORDER BY e.cycles DESC\nLIMIT 100")},
        {Text::tr("Copies that put operands in order"),
         sql("SELECT operation, variable, cause, source_order, wanted_order, run_bytes,\n"
             "       copy_cycles\nFROM copy_info\nORDER BY copy_cycles DESC")},
        {Text::tr("Cycles by kind of step"),
         sql("-- of one execution of each body of the trace\n"
             "SELECT t.type, s.ipu, count(*) AS steps, sum(s.cycles) AS cycles\n"
             "FROM trace_steps t\nJOIN trace_step_ipus s USING (body, position)\n"
             "GROUP BY t.type, s.ipu\nORDER BY cycles DESC")},
        {Text::tr("Options of the run"),
         sql("SELECT key, value\nFROM info\nWHERE key LIKE 'option.%' OR key LIKE 'engine.%'\n"
             "ORDER BY key")},
        {Text::tr("Variables of source and target"), bothSides("variables", "total_bytes"), true},
        {Text::tr("Compute cycles of source and target"), bothSides("compute_sets", "cycles"),
         true}};
}

} // namespace tilescope::views
