// What a window does with files that it is given: by its menu, a drop or a command line.
#pragma once

#include <QStringList>
#include <cstdint>

namespace tilescope::gui {

enum class GivenKind : std::uint8_t {
    Profiles,   ///< to open; also what is no file of ours, whose reader says so
    HostTraces, ///< to add to the profile that is open
    Job         ///< or a model: what an imported profile ran, or to run
};

/// What files are, by their content. Those on other machines are taken for profiles.
GivenKind kindOfFiles(const QStringList& files);

/// Whether files are traces of several programs of a host, which open as one profile.
bool areTracesOfAHost(const QStringList& files);

/// A name for a profile that is made of an open one, beside it if that is possible:
/// "bert/profile.pop" gives "bert/profile-host.pop". No file of the name exists.
QString nameBeside(const QString& opened, const QString& suffix);

} // namespace tilescope::gui
