#include "tests/support/report_tables.h"

#include "core/report/report.h"

namespace tilescope::test {

std::vector<Table> tablesOfAllReports(const ProfileView& profile) {
    std::vector<Table> tables;
    for (const Report& report : allReports())
        for (Table& table : makeReport(report, profile, {}).tables)
            tables.push_back(std::move(table));
    return tables;
}

} // namespace tilescope::test
