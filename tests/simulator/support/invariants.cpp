#include "invariants.h"

#include "invariant_parts.h"

namespace tilescope::test {

std::vector<std::string> brokenInvariants(const Profile& profile) {
    Complaints complaints;
    checkProgramTree(profile, complaints);
    checkComputeSetsAndExchanges(profile, complaints);
    checkLives(profile, complaints);
    checkAddresses(profile, complaints);
    checkTileAccounts(profile, complaints);
    checkTrace(profile, complaints);
    checkLiveMemory(profile, complaints);
    checkIoTiles(profile, complaints);
    checkModelGraph(profile, complaints);
    return complaints.take();
}

std::string complaints(const Profile& profile) {
    std::string text;
    for (const std::string& line : brokenInvariants(profile))
        text += line + "\n";
    return text;
}

} // namespace tilescope::test
