#include "core/report/report_query.h"

#include "core/report/report.h"

namespace tilescope {

SqlResult queryReports(ProfileReader& reader, const std::string& sql, std::size_t maxRows) {
    const ProfileView profile(reader.file(), reader.info());
    for (const Report& report : allReports()) {
        const std::string name = "report_" + report.id;
        if (sql.find(name) == sql.npos)
            continue;
        const Document document = makeReport(report, profile, {});
        if (!document.tables.empty())
            reader.addTable(name, document.tables.front());
    }
    return reader.query(sql, maxRows);
}

} // namespace tilescope
