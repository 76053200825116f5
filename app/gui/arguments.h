// The command line of tilescope-gui.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "app/gui/window/deep_link.h"
#include "views/session/preferences.h"
#include "views/widgets/save_picture.h"

namespace tilescope::gui {

/// A picture to take: which report or screen, into which file, and which parts of it are in front.
struct GrabRequest {
    QString view;
    QString file;
    views::PictureKind kind = views::PictureKind::Png;
    QStringList parts; ///< "tile map"; none for the report's initial state
};

/// Screens other than reports that can be grabbed.
inline const QStringList screens{QStringLiteral("home"),    QStringLiteral("sweep"),
                                 QStringLiteral("run"),     QStringLiteral("preferences"),
                                 QStringLiteral("help"),    QStringLiteral("palette"),
                                 QStringLiteral("profiles")};

struct Arguments {
    QStringList profiles; ///< none, a source, source and target, or several for a table
    std::vector<GrabRequest> grabs;
    std::vector<SelectWish> selected; ///< of the source
    std::optional<AxisRange> range;
    std::optional<views::ThemeChoice> theme;
    std::optional<QSize> size;
    bool tracesOfAHost = false; ///< profiles are these, and open as one
    QString compareWith;        ///< of --compare; also in profiles
    QString view;               ///< report to begin with; empty for the summary
    bool check = false;         ///< only check whether the window would open there
    bool frameTimes = false;
    bool exerciseFrames = false; ///< for developers; not in the help
    bool help = false;
    bool version = false;
};

/// Parses the arguments after the program's name. Throws UserError that names the mistake and the
/// remedy.
Arguments parseArguments(const QStringList& arguments);

/// The report in front when the window opens.
Report beginsWith(const Arguments& arguments);

/// The text of --help.
QString helpText();

} // namespace tilescope::gui
