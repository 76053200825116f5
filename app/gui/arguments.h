// The command line of tilescope-gui.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "views/session/preferences.h"

namespace tilescope::gui {

/// A picture to take: which report, into which file, and which part of the report is in front.
struct GrabRequest {
    QString view;
    QString file;
    QString section; ///< "tile map"; empty for what the report begins with
};

struct Arguments {
    QStringList profiles; ///< none, a source, or source and target
    std::vector<GrabRequest> grabs;
    std::optional<views::ThemeChoice> theme;
    std::optional<QSize> size;
    QString view; ///< report to begin with; empty for the summary
    bool frameTimes = false;
    bool exerciseFrames = false; ///< for developers; not in the help
    bool help = false;
    bool version = false;
};

/// Parses the arguments after the program's name. Throws UserError that says what is wrong and
/// what would be right.
Arguments parseArguments(const QStringList& arguments);

/// The text of --help.
QString helpText();

} // namespace tilescope::gui
