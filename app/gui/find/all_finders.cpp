#include "app/gui/find/all_finders.h"

#include "app/gui/find/command_finder.h"
#include "app/gui/find/control_finder.h"
#include "app/gui/find/help_finder.h"
#include "app/gui/find/option_finder.h"
#include "app/gui/find/profile_finders.h"

namespace tilescope::gui {

std::vector<std::unique_ptr<const Finder>> allFinders(const FindPlaces& places) {
    std::vector<std::unique_ptr<const Finder>> finders;
    if (places.menus != nullptr)
        finders.push_back(std::make_unique<CommandFinder>(*places.menus));
    if (places.report != nullptr)
        finders.push_back(std::make_unique<ControlFinder>(*places.report));
    if (places.profile) {
        finders.push_back(std::make_unique<TileFinder>(places.profile));
        finders.push_back(std::make_unique<IpuFinder>(places.profile));
        finders.push_back(std::make_unique<MicroBatchFinder>(places.profile));
        finders.push_back(std::make_unique<NameFinder<OperationId>>(places.profile));
        finders.push_back(std::make_unique<NameFinder<VariableId>>(places.profile));
        finders.push_back(std::make_unique<NameFinder<ProgramId>>(places.profile));
        finders.push_back(std::make_unique<OptionFinder>(places.profile));
    }
    finders.push_back(std::make_unique<HelpFinder>());
    return finders;
}

} // namespace tilescope::gui
