// The ledger of figures: what is published and what README.md and the manual quote, beside what
// this build computes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope::fidelity {

/// A row of ledger.csv; its columns are in the README.md of this folder.
struct LedgerRow {
    std::string id;
    std::string source;
    std::string run;
    std::string figure;
    std::string unit;
    std::string digits;
    std::string published;
    std::string ours;
    std::string tolerance;
    std::string place;
    std::string text;
};

/// Throws UserError for a file that is no ledger.
std::vector<LedgerRow> readLedger(const std::filesystem::path& file);

void writeLedger(const std::filesystem::path& file, const std::vector<LedgerRow>& rows);

/// How ours and the published figure differ by more than the tolerance; "" where they do not, or
/// where the row says by "-" that they are known to differ.
std::string disagreement(const LedgerRow& row);

/// What is wrong with how a document quotes a row's figure; "" if nothing.
std::string misquotation(const LedgerRow& row, const std::string& document);

/// Puts `ours` in the place of the row's figure, in its text and where the document has that.
void requote(LedgerRow& row, const std::string& ours, std::string& document);

} // namespace tilescope::fidelity
