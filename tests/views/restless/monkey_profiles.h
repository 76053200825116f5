// Profiles of all kinds, small enough that a window reads each in a moment.
#pragma once

#include <QStringList>

namespace tilescope::test {

/// Writes a profile of each kind into a folder: one IPU, pipelined, replicated, phased, with
/// values, with a record of the host, with lines of a program, too large for its machine, with a
/// trace in pages. Most are made by the simulator. Fails the test where one cannot be made. The
/// files that TILESCOPE_MONKEY_PROFILES names (with colons between) follow.
QStringList writeProfilesOfAllKinds(const QString& folder);

/// A program for the window to run in place of `tilescope`: it takes a moment, says how far it is
/// and "makes" the profile. Its folder is put first in PATH.
void putStandInForProgram(const QString& folder, const QString& profile);

} // namespace tilescope::test
