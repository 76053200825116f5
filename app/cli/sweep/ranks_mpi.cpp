
#include <boost/json.hpp>

// The C interface only: the C++ one was removed from the standard.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "app/cli/sweep/ranks.h"
#include "core/base/error.h"

namespace tilescope::cli {
namespace {

namespace json = boost::json;

enum Tag { Request = 1, Answer = 2, Result = 3 };
constexpr std::int64_t nothingMore = -1;

std::string textOf(const RankResult& result) {
    return json::serialize(json::object{{"point", result.point},
                                        {"exitCode", result.child.exitCode},
                                        {"out", result.child.out},
                                        {"err", result.child.err},
                                        {"seconds", result.seconds}});
}

RankResult resultFrom(const std::string& text) {
    const json::object object = json::parse(text).get_object();
    return {object.at("point").to_number<std::size_t>(),
            {object.at("exitCode").to_number<int>(), std::string(object.at("out").get_string()),
             std::string(object.at("err").get_string())},
            object.at("seconds").to_number<double>()};
}

std::string received(const MPI_Status& status) {
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    std::string text(static_cast<std::size_t>(length), '\0');
    MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return text;
}

} // namespace

Ranks::Ranks() {
    if (launchedRanks() == 1)
        return;
    if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS)
        throw UserError("MPI cannot be started; see what it printed, or run without mpirun");
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    size_ = static_cast<std::size_t>(size);
    working_ = isFirst() ? size_ - 1 : 0;
}

Ranks::~Ranks() {
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun == 0)
        return;
    while (isFirst() && working_ > 0) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        const bool asks = status.MPI_TAG == Request;
        static_cast<void>(received(status));
        if (!asks)
            continue;
        MPI_Send(&nothingMore, 1, MPI_INT64_T, status.MPI_SOURCE, Answer, MPI_COMM_WORLD);
        --working_;
    }
    MPI_Finalize();
}

bool Ranks::attend(const NextPoint& next, const std::function<void(const RankResult&)>& finished) {
    while (working_ > 0) {
        int there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
        if (there == 0)
            break;
        const bool asks = status.MPI_TAG == Request;
        const std::string text = received(status);
        if (!asks) {
            finished(resultFrom(text));
            continue;
        }
        const std::optional<std::size_t> point =
            next(static_cast<std::size_t>(status.MPI_SOURCE), std::stoul(text));
        const std::int64_t answer = point ? static_cast<std::int64_t>(*point) : nothingMore;
        working_ -= point ? 0 : 1;
        MPI_Send(&answer, 1, MPI_INT64_T, status.MPI_SOURCE, Answer, MPI_COMM_WORLD);
    }
    return working_ > 0;
}

std::optional<std::size_t> Ranks::ask(std::size_t worker) {
    const std::string text = std::to_string(worker);
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, Request, MPI_COMM_WORLD);
    std::int64_t answer = nothingMore;
    MPI_Recv(&answer, 1, MPI_INT64_T, 0, Answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return answer == nothingMore ? std::nullopt : std::optional(static_cast<std::size_t>(answer));
}

void Ranks::tell(const RankResult& result) {
    const std::string text = textOf(result);
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, Result, MPI_COMM_WORLD);
}

void Ranks::abandon(int status) {
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun != 0)
        MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
}

} // namespace tilescope::cli
