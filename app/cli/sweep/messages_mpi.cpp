// A module of its own, see openMessages(): nothing else is linked with MPI.

// The C interface only: the C++ one was removed from the standard.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "app/cli/sweep/messages.h"

namespace tilescope::cli {
namespace {

class MpiMessages final : public Messages {
public:
    MpiMessages() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }
    ~MpiMessages() override { MPI_Finalize(); }

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }

    [[nodiscard]] std::optional<Arrival> arrived() override {
        int there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
        return there == 0 ? std::nullopt : std::optional(arrival(status));
    }

    [[nodiscard]] Arrival next() override {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        return arrival(status);
    }

    std::string take(const Arrival& arrival) override {
        std::string text(static_cast<std::size_t>(arrival.bytes), '\0');
        MPI_Recv(text.data(), arrival.bytes, MPI_CHAR, arrival.from, arrival.tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        return text;
    }

    void send(const std::string& text, int to, int tag) override {
        MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
    }

    void endAll(int status) override { MPI_Abort(MPI_COMM_WORLD, status); }

private:
    static Arrival arrival(const MPI_Status& status) {
        int bytes = 0;
        MPI_Get_count(&status, MPI_CHAR, &bytes);
        return {status.MPI_SOURCE, status.MPI_TAG, bytes};
    }

    int rank_ = 0;
    int size_ = 1;
};

} // namespace
} // namespace tilescope::cli

/// The module's only entry; nullptr if MPI cannot be started.
extern "C" [[gnu::visibility("default")]] tilescope::cli::Messages* tilescopeOpenMpi() {
    if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS)
        return nullptr;
    return new tilescope::cli::MpiMessages();
}
