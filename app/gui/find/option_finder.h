// The options of a run.
#pragma once

#include "app/gui/find/finder.h"
#include "core/view/profile_view.h"

namespace tilescope::gui {

/// The options given to the run, with their values, and those that were not given.
class OptionFinder : public Finder {
public:
    explicit OptionFinder(const ProfileViewPtr& profile);
    [[nodiscard]] QString heading() const override;
    [[nodiscard]] std::vector<Found> find(const QString& typed, std::size_t most,
                                          const std::stop_token& stop) const override;

private:
    struct Option {
        QString key;
        QString value;
        QString help;
    };
    std::vector<Option> options_;
};

} // namespace tilescope::gui
