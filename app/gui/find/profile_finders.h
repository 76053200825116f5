// Finds the parts of a profile.
#pragma once

#include <optional>

#include "app/gui/find/finder.h"
#include "core/view/profile_view.h"

namespace tilescope::gui {

/// Base of the finders of parts of a profile.
class ProfileFinder : public Finder {
public:
    explicit ProfileFinder(ProfileViewPtr profile)
        : profile_(std::move(profile)) {}

protected:
    [[nodiscard]] const ProfileView& profile() const { return *profile_; }

private:
    ProfileViewPtr profile_;
};

/// Finds operations by their debug paths, variables by their names, and steps of the program tree
/// by theirs (programs). Names have to be read first; finds nothing for fewer than two letters.
template <class Id> class NameFinder : public ProfileFinder {
public:
    using ProfileFinder::ProfileFinder;
    [[nodiscard]] QString heading() const override;
    [[nodiscard]] bool quick() const override { return false; }
    [[nodiscard]] std::vector<Found> find(const QString& typed, std::size_t most,
                                          const std::stop_token& stop) const override;
};

/// "tile 312", or only its number.
class TileFinder : public ProfileFinder {
public:
    using ProfileFinder::ProfileFinder;
    [[nodiscard]] QString heading() const override;
    [[nodiscard]] std::vector<Found> find(const QString& typed, std::size_t most,
                                          const std::stop_token& stop) const override;
};

/// "ipu 3"; all of them for "ipu".
class IpuFinder : public ProfileFinder {
public:
    using ProfileFinder::ProfileFinder;
    [[nodiscard]] QString heading() const override;
    [[nodiscard]] std::vector<Found> find(const QString& typed, std::size_t most,
                                          const std::stop_token& stop) const override;
};

/// "batch 3" of a pipeline; the first ones for "batch".
class MicroBatchFinder : public ProfileFinder {
public:
    using ProfileFinder::ProfileFinder;
    [[nodiscard]] QString heading() const override;
    [[nodiscard]] bool quick() const override { return false; }
    [[nodiscard]] std::vector<Found> find(const QString& typed, std::size_t most,
                                          const std::stop_token& stop) const override;
};

} // namespace tilescope::gui
