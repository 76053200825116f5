// What tiles hold or do, step by step: the frames of a film over the floor plan.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/view/profile_view.h"

namespace tilescope {

/// Memory goes over the steps of the liveness order, the others over the executed steps.
enum class FilmKind {
    LiveMemory,    ///< bytes live on each tile
    Activity,      ///< per cent of the step during which a tile works
    BytesReceived, ///< by an exchange, or from the host
    BytesSent
};

/// One step: a figure for each tile, and which step it is.
struct FilmFrame {
    std::int64_t number = 0; ///< of the frame in its film
    std::vector<std::int64_t> values;
    std::string name;  ///< of the step: "OnTileExecute (conv1/Convolve)"
    ProgramId program; ///< none for a Sync
    StepId step;       ///< of the liveness order; of an executed step the first of its program
    std::int64_t cycle = -1; ///< at which an executed step begins
};

/// The frames of a profile, made one at a time. Not thread-safe.
class TileFilm {
public:
    virtual ~TileFilm() = default;
    [[nodiscard]] virtual std::int64_t frames() const = 0;
    /// The largest value that any frame can have, for a common scale.
    [[nodiscard]] virtual std::int64_t largest() const = 0;
    /// Throws UserError if there is no such frame, or the profile is damaged.
    virtual FilmFrame frame(std::int64_t number, Stop stop = {}) = 0;
    /// The frame that shows a step of the liveness order, the first if several do; -1 for none.
    [[nodiscard]] virtual std::int64_t frameOf(StepId step) const = 0;
};

/// Reads what the film needs. In a film of executed steps, IPUs that are not part of the step show
/// what they do when it begins. Without an execution, such a film has no frames.
std::shared_ptr<TileFilm> tileFilm(const ProfileView& profile, FilmKind kind, Stop stop = {});

} // namespace tilescope
