// Compares with published figures what this build simulates. Usage: tilescope_fidelity ROWS.csv
// [FAMILY], or tilescope_fidelity --bert-large LAYERS.csv OPERATIONS.csv, or
// tilescope_fidelity --rewrite-ledger
#include <QTemporaryDir>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <string>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "ledger_runs.h"
#include "operations.h"
#include "scopes.h"

namespace {
using namespace tilescope;
using namespace tilescope::fidelity;

/// Puts what this build computes in the ledger and in the documents that quote it.
void rewriteLedger() {
    const std::filesystem::path source = TILESCOPE_SOURCE_DIR;
    const std::filesystem::path file = source / "tests/fidelity/ledger.csv";
    const QTemporaryDir scratch;
    LedgerRuns runs(source, TILESCOPE_SHARED_DIR, scratch.path().toStdString());
    std::map<std::string, std::string> documents;
    std::vector<LedgerRow> rows = readLedger(file);
    for (LedgerRow& row : rows) {
        const std::string ours = runs.figure(row).value_or(row.ours);
        if (ours == row.ours)
            continue;
        fmt::print("{}: {} -> {}\n", row.id, row.ours, ours);
        if (!row.place.empty()) {
            std::string& document =
                documents.try_emplace(row.place, readFile(source / row.place)).first->second;
            requote(row, ours, document);
        }
        row.ours = ours;
    }
    writeLedger(file, rows);
    for (const auto& [place, text] : documents)
        writeFileAtomically((source / place).string(), text);
}

int run(const std::vector<std::string>& arguments) {
    if (arguments.size() == 1 && arguments[0] == "--rewrite-ledger")
        rewriteLedger();
    else if (arguments.size() == 3 && arguments[0] == "--bert-large")
        compareBertLarge(arguments[1], arguments[2], std::cout);
    else if (arguments.size() == 1 || arguments.size() == 2)
        return compareOperations(arguments[0], arguments.size() > 1 ? arguments[1] : "", std::cout)
                   ? 0
                   : 1;
    else {
        std::cerr << "usage: tilescope_fidelity ROWS.csv [FAMILY]\n"
                     "       tilescope_fidelity --bert-large LAYERS.csv OPERATIONS.csv\n"
                     "       tilescope_fidelity --rewrite-ledger\n";
        return 2;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::cerr << "tilescope_fidelity: " << error.what() << '\n';
        return 2;
    }
}
