// Messages between processes that a launcher started together.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace tilescope::cli {

/// One process's end of the exchange. Used by one thread. The exchange ends with it, for which it
/// waits for all others.
class Messages {
public:
    Messages() = default;
    virtual ~Messages() = default;
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    /// A message that has arrived.
    struct Arrival {
        int from = 0; ///< rank
        int tag = 0;
        int bytes = 0;
    };

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    /// Whether a message has arrived, from anyone.
    [[nodiscard]] virtual std::optional<Arrival> arrived() = 0;
    /// Waits for the next one.
    [[nodiscard]] virtual Arrival next() = 0;
    virtual std::string take(const Arrival& arrival) = 0;
    virtual void send(const std::string& text, int to, int tag) = 0;
    /// Ends all processes at once, with an exit status.
    virtual void endAll(int status) = 0;
};

/// Joins the others by MPI. Its library is loaded only now: that takes longer than a short command.
/// Throws UserError if this build has no MPI or it cannot be started.
std::unique_ptr<Messages> openMessages();

} // namespace tilescope::cli
