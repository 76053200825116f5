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

/// Finds by names that have to be read first; nothing for fewer than two letters.
class NameFinder : public ProfileFinder {
public:
    using ProfileFinder::ProfileFinder;
    [[nodiscard]] bool quick() const override { return false; }
    [[nodiscard]] std::vector<Found> find(const QString& typed, std::size_t most,
                                          const std::stop_token& stop) const override;

protected:
    struct Names {
        std::size_t count = 0;
        std::function<QString(std::size_t)> name;
        std::function<QString(std::size_t)> detail;
        std::function<views::Selected(std::size_t)> thing;
    };
    [[nodiscard]] virtual Names read(const std::stop_token& stop) const = 0;
};

/// Operations by their debug paths.
class OperationFinder : public NameFinder {
public:
    using NameFinder::NameFinder;
    [[nodiscard]] QString heading() const override;

private:
    [[nodiscard]] Names read(const std::stop_token& stop) const override;
};

/// Variables by their names.
class VariableFinder : public NameFinder {
public:
    using NameFinder::NameFinder;
    [[nodiscard]] QString heading() const override;

private:
    [[nodiscard]] Names read(const std::stop_token& stop) const override;
};

/// Steps of the program tree by their names.
class StepFinder : public NameFinder {
public:
    using NameFinder::NameFinder;
    [[nodiscard]] QString heading() const override;

private:
    [[nodiscard]] Names read(const std::stop_token& stop) const override;
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

} // namespace tilescope::gui
