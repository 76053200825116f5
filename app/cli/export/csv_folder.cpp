#include "app/cli/export/csv_folder.h"

#include <sstream>

#include "core/base/atomic_file.h"
#include "core/report/report.h"

namespace tilescope::cli {

std::vector<std::string> writeCsvFolder(const std::filesystem::path& folder,
                                        const ProfileReader& reader) {
    std::vector<std::string> files;
    for (const Report& report : allReports()) {
        if (report.id == "insights")
            continue;
        bool first = true;
        for (const Table& table : makeReport(report, reader, {}).tables) {
            const std::string name =
                first ? report.id + ".csv" : report.id + "_" + table.key + ".csv";
            first = false;
            std::ostringstream text;
            writeCsv(text, table);
            writeFileAtomically(folder / name, text.str());
            files.push_back(name);
        }
    }
    return files;
}

} // namespace tilescope::cli
