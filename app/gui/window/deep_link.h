// A place in profiles as given on a command line: report, selection, and a range.
#pragma once

#include <QStringList>
#include <optional>
#include <vector>

#include "app/gui/window/reports.h"
#include "core/view/profile_view.h"
#include "views/session/selection.h"

namespace tilescope::gui {

/// A requested selection, before any profile has been read.
struct SelectWish {
    QString what; ///< "operation"; empty: whatever kind of thing the report in front selects
    QString name; ///< or a number, if `what` is given
    friend bool operator==(const SelectWish&, const SelectWish&) = default;
};

/// A part [from, to) of a report's axis, in its unit: cycles, tiles, program steps, iterations.
struct AxisRange {
    qint64 from = 0;
    qint64 to = 0;
    friend bool operator==(const AxisRange&, const AxisRange&) = default;
};

/// The part of its profiles that a window shows, or that a command line asks for.
struct DeepLink {
    QStringList files; ///< a source, or source and target
    Report report = Report::Summary;
    views::Selected selected;
    std::optional<AxisRange> range;
};

/// The value of --select: a name, or "tile=5,operation=conv1". A name may contain commas. Throws
/// UserError for anything that cannot be selected.
std::vector<SelectWish> selectWishesFrom(const QString& text);

/// The value of --range: "1000:2000". Throws UserError.
AxisRange axisRangeFrom(const QString& text);

/// Looks names up and checks numbers. For the execution trace a step also selects its program, as
/// that report shows programs. Throws UserError for anything that the profile does not contain.
views::Selected resolve(const std::vector<SelectWish>& wishes, Report report,
                        const ProfileView& profile);

/// Throws UserError if a report has no axis that a range could apply to.
void requireAxis(Report report);

/// The command line that opens a window there, quoted for a shell: with names where they identify
/// the selection, otherwise with numbers.
QString commandLine(const DeepLink& link, const ProfileView& source);

} // namespace tilescope::gui
