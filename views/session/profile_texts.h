// What a profile says of itself, as short texts of one line.
#pragma once

#include <QDateTime>
#include <QString>
#include <filesystem>
#include <utility>

#include "core/analysis/compare/differences.h"
#include "core/profile/profile.h"

namespace tilescope::views {

/// "batch 4", and what else makes a run larger: "batch 4 × 16, 2 replicas".
QString batchText(const ProfileInfo& info);
/// "mk2, 1 IPU × 1,472 tiles".
QString machineText(const ProfileInfo& info);
/// What tells two files apart in few letters: their folders, as every run writes a profile.pop, or
/// their own names.
std::pair<QString, QString> shortNames(const std::filesystem::path& source,
                                       const std::filesystem::path& target);
/// "batch 4 → 8"; a dash for what a side lacks.
QString changeText(const OptionChange& change);
/// The first of them, and how many more there are: "batch 4 → 8, autoloss off → on, 3 more".
QString changesText(const std::vector<OptionChange>& changes, std::size_t most);
/// All of them, a line each, as a tool tip.
QString changesTip(const std::vector<OptionChange>& changes);

/// A change as a share of what was: "+12.5 %", "−3.0 %", "×12"; empty where nothing was or changed.
QString relativeText(double before, double after);

/// When a profile was written ("2024-05-01T12:00:00Z"); not valid where it does not say.
QDateTime createdAt(const ProfileInfo& info);
/// How long ago that was: "just now", "5 min ago", "3 h ago", "2 days ago", then the day.
QString ageText(const QDateTime& then, const QDateTime& now);

} // namespace tilescope::views
