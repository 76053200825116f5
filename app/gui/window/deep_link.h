// A place in profiles as a command line says it: report, what is selected there, and a range.
#pragma once

#include <QStringList>
#include <optional>
#include <vector>

#include "app/gui/window/reports.h"
#include "core/view/profile_view.h"
#include "views/session/selection.h"

namespace tilescope::gui {

/// What is to be selected, before any profile has been read.
struct SelectWish {
    QString what; ///< "operation"; empty: whatever the report in front calls its selection
    QString name; ///< or a number, of what has a kind
    friend bool operator==(const SelectWish&, const SelectWish&) = default;
};

/// A part [from, to) of a report's axis, in what it counts: cycles, tiles, program steps,
/// iterations.
struct AxisRange {
    qint64 from = 0;
    qint64 to = 0;
    friend bool operator==(const AxisRange&, const AxisRange&) = default;
};

/// What a window shows of its profiles, and what a command line can ask for.
struct DeepLink {
    QStringList files; ///< a source, or source and target
    Report report = Report::Summary;
    views::Selected selected;
    std::optional<AxisRange> range;
};

/// The value of --select: a name, or "tile=5,operation=conv1". A name may have commas. Throws
/// UserError for what cannot be selected.
std::vector<SelectWish> selectWishesFrom(const QString& text);

/// The value of --range: "1000:2000". Throws UserError.
AxisRange axisRangeFrom(const QString& text);

/// Looks names up and checks numbers. In the execution trace a step has its program with it, which
/// is what that report shows. Throws UserError for what the profile does not have.
views::Selected resolve(const std::vector<SelectWish>& wishes, Report report,
                        const ProfileView& profile);

/// Throws UserError if a report has no axis that a range could be of.
void requireAxis(Report report);

/// The command line that opens a window there, quoted for a shell: names where they lead back to
/// what is selected, else numbers.
QString commandLine(const DeepLink& link, const ProfileView& source);

} // namespace tilescope::gui
