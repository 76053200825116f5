// Runs of one model, to flip through as the target of a comparison.
#pragma once

#include <QDateTime>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "core/table/table.h"

namespace tilescope::gui {

/// A run whose profile is in a file.
struct Candidate {
    QString file;
    QDateTime written; ///< modification time of the file
    ProfileInfo info;
    std::optional<double> fullestTile; ///< bytes
    std::vector<std::int64_t> live;    ///< not always live over the program, in a few columns
    std::vector<std::int64_t> tiles;   ///< bytes of tiles, gaps included, likewise
};

/// Those of the files that are profiles of this model in this mode, the newest run first. Profiles
/// among `known` that were not rewritten are not read again; files that cannot be read are left
/// out.
std::vector<Candidate> readCandidates(const QStringList& files, const ProfileInfo& model,
                                      const std::vector<Candidate>& known,
                                      const std::stop_token& stop);

/// Profiles of any models, and what is wrong with those that cannot be read.
struct ReadProfiles {
    std::vector<Candidate> profiles; ///< in the order of their files
    QStringList problems;
};
ReadProfiles readProfiles(const QStringList& files, const std::stop_token& stop);

/// The largest values of equal parts of a curve.
std::vector<std::int64_t> columnsOf(const std::vector<std::int64_t>& curve, std::size_t columns);
/// Values as a line of bars, as high as `largest` at most.
std::string sparkline(const std::vector<std::int64_t>& values, std::int64_t largest);

/// Few: without what a narrow panel has no room for.
enum class Columns { All, Few };

/// A line for each: how it differs from the source, its rate, whether it fits, its fullest tile,
/// the change of the time of a sample, and its live memory as a line of bars on one scale. A row's
/// id is its place in the list; that of the source is emphasised.
Table candidateTable(const std::vector<Candidate>& candidates, const QString& sourceFile,
                     const ProfileInfo& source, Columns columns = Columns::All);

/// A line for each profile of a page of several, by place in the list: its role, how it differs
/// from the first, its figures, and its memory by tile and over time on one scale each.
Table profilesTable(const std::vector<Candidate>& profiles, std::int32_t source,
                    std::int32_t target);

} // namespace tilescope::gui
