// Descriptions of a profile, as short texts of one line.
#pragma once

#include <QDateTime>
#include <QString>
#include <filesystem>
#include <utility>

#include "core/analysis/compare/differences.h"
#include "core/profile/profile.h"

namespace tilescope::views {

/// Whether nothing of a machine is known, as in a trace of a program on its host.
bool knowsNoMachine(const ProfileInfo& info);
/// "batch 4", with other factors of a run's size: "batch 4 × 16, 2 replicas".
QString batchText(const ProfileInfo& info);
/// "mk2, 1 IPU × 1,472 tiles".
QString machineText(const ProfileInfo& info);
/// Short names that distinguish two files: their folders, as every run writes a profile.pop, the
/// first that differ from the innermost on; of two files of a folder the files' names.
std::pair<QString, QString> shortNames(const std::filesystem::path& source,
                                       const std::filesystem::path& target);
/// "batch 4 → 8"; a dash for what a side lacks.
QString changeText(const OptionChange& change);
/// The first of them, and how many more there are: "batch 4 → 8, autoloss off → on, 3 more".
QString changesText(const std::vector<OptionChange>& changes, std::size_t most);
/// All of them, a line each, as a tool tip.
QString changesTip(const std::vector<OptionChange>& changes);

/// A change relative to the old value: "+12.5 %", "−3.0 %", "×12"; empty if that is 0 or unchanged.
QString relativeText(double before, double after);

/// When a profile was written ("2024-05-01T12:00:00Z"); invalid if it is not recorded.
QDateTime createdAt(const ProfileInfo& info);
/// How long ago that was: "just now", "5 min ago", "3 h ago", "2 days ago", then the day.
QString ageText(const QDateTime& then, const QDateTime& now);

} // namespace tilescope::views
