// The parts of brokenInvariants(), one idea a file.
#pragma once

#include <set>

#include "complaints.h"
#include "core/profile/profile.h"

namespace tilescope::test {

/// Functions whose steps are placed once in the order of liveness and not at each call: those that
/// the slots of a pipeline call.
std::set<ProgramId> functionsPlacedOnce(const Profile& profile);

void checkProgramTree(const Profile& profile, Complaints& complaints);
void checkComputeSetsAndExchanges(const Profile& profile, Complaints& complaints);
/// Every value is made before it is read and lives until its last reader, found by executing the
/// program (loops twice) and not from the compiler's own analysis.
void checkLives(const Profile& profile, Complaints& complaints);
void checkAddresses(const Profile& profile, Complaints& complaints);
void checkTileAccounts(const Profile& profile, Complaints& complaints);
/// Every operation is in the model's graph, whose tensors are made before they are read.
void checkModelGraph(const Profile& profile, Complaints& complaints);
/// Tiles that are set aside for the host do nothing else, and no other tile talks to it.
void checkIoTiles(const Profile& profile, Complaints& complaints);
void checkTrace(const Profile& profile, Complaints& complaints);
/// Every step that runs is found in the order of liveness: the most that is live over time is the
/// most at any of them.
void checkLiveMemory(const Profile& profile, Complaints& complaints);

} // namespace tilescope::test
