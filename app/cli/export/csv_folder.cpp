#include "app/cli/export/csv_folder.h"

#include <sstream>

#include "app/cli/report/sections.h"
#include "core/base/atomic_file.h"

namespace tilescope::cli {

std::vector<std::string> writeCsvFolder(const std::filesystem::path& folder,
                                        const ProfileReader& reader) {
    std::vector<std::string> files;
    for (const Section& section : reportSections()) {
        if (section.name == "insights")
            continue;
        bool first = true;
        for (const Table& table : section.make(reader, {}).tables) {
            const std::string name =
                first ? section.name + ".csv" : section.name + "_" + table.key + ".csv";
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
