// Damaged copies of profiles, through every command and every report of the window:
//   damage_sweep PROFILE... [--copies N] [--seed S] [--limit SECONDS]
//     [--only cli|window] [--keep DIR] [--checksums yes] [--names yes]
// prints for each profile and way how many copies were read without a word, led to a message, were
// refused without one, met an error of ours, crashed or hung; --keep saves the copies of the last
// four; --checksums gives the copies checksums that hide the damage from all but the reading of it.
// --names gives sound profiles hostile names instead of damage.
// Each copy is opened alone and compared, as source and as target (in the window as one of them in
// turn). Exit status 1 if there are any of the last four.
#include <QApplication>
#include <QTemporaryDir>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

#include "core/base/atomic_file.h"
#include "tests/bench/damage/arguments.h"
#include "tests/bench/damage/cli_visit.h"
#include "tests/bench/damage/window_visit.h"
#include "tests/support/damage.h"
#include "tests/support/profile_sql.h"
#include "views/theme/style.h"

using namespace tilescope;
using namespace tilescope::bench;
namespace fs = std::filesystem;

namespace {

struct Request {
    std::vector<std::string> profiles;
    int copies = 1000;
    std::uint64_t seed = 1;
    double limit = 20;
    std::string only;
    std::string keep;
    bool renewed = false;
    bool names = false;
};

Request parse(int argc, char** argv) {
    Request request;
    Arguments arguments(argc, argv);
    arguments.take("--copies", request.copies);
    arguments.take("--seed", request.seed);
    arguments.take("--limit", request.limit);
    arguments.take("--only", request.only);
    arguments.take("--keep", request.keep);
    arguments.take("--checksums", request.renewed);
    arguments.take("--names", request.names);
    arguments.checkAllTaken();
    request.profiles = arguments.words();
    if (request.profiles.empty())
        throw std::invalid_argument(
            "usage: damage_sweep PROFILE... [--copies N] [--seed S] [--limit SECONDS] "
            "[--only cli|window] [--keep DIR] [--checksums yes] [--names yes]");
    return request;
}

/// The copies of one profile: made anew for each job, so that nothing is kept.
class Copies {
public:
    Copies(const std::string& profile, const Request& request, fs::path folder)
        : good_(profile)
        , bytes_(readFile(profile))
        , seed_(request.seed)
        , renew_(request.renewed)
        , names_(request.names)
        , copy_((std::move(folder) / "copy.pop").string()) {}

    [[nodiscard]] const std::string& good() const { return good_; }
    [[nodiscard]] const std::string& copy() const { return copy_; }
    [[nodiscard]] test::DamagedCopy make(int number) const {
        const auto draw = test::seededDraw(seed_ * 1'000'003 + static_cast<std::uint64_t>(number));
        if (names_)
            return test::hostileCopy(bytes_, draw);
        auto copy = test::damagedCopy(bytes_, draw);
        if (renew_)
            copy.bytes = test::withChecksums(std::move(copy.bytes));
        return copy;
    }
    void write(int number) const { writeFileAtomically(copy_, make(number).bytes); }

private:
    std::string good_;
    std::string bytes_;
    std::uint64_t seed_;
    bool renew_;
    bool names_;
    std::string copy_;
};

JobResult worse(JobResult a, JobResult b) {
    return b.verdict > a.verdict ? std::move(b) : std::move(a);
}

JobResult byCommands(const Copies& copies, int number, const Progress& at) {
    static const bool limited = (limitMemory(), true);
    static_cast<void>(limited);
    copies.write(number);
    return visitByCommands(copies.copy(), copies.good(), at);
}

/// The application of a child; made once in it.
void makeApplication() {
    static int argc = 1;
    static std::array<char*, 2> argv{const_cast<char*>("damage_sweep"), nullptr};
    limitMemory();
    static QApplication* const application = new QApplication(argc, argv.data());
    static_cast<void>(application);
    QApplication::setStyle(new views::WindowStyle);
}

JobResult byWindow(const Copies& copies, int number, const Progress& at) {
    static const bool made = (makeApplication(), true);
    static_cast<void>(made);
    const QString good = QString::fromStdString(copies.good());
    const QString copy = QString::fromStdString(copies.copy());
    static const QStringList usual = textsOfWindow({good}, at) + textsOfWindow({good, good}, at);
    copies.write(number);
    JobResult result = visitByWindow({copy}, usual, at);
    const QStringList pair = number % 2 == 0 ? QStringList{good, copy} : QStringList{copy, good};
    return worse(std::move(result), visitByWindow(pair, usual, at));
}

struct Count {
    std::array<int, verdicts> of{};
    double slowest = 0;
    [[nodiscard]] bool bad() const { return of[2] + of[3] + of[4] + of[5] > 0; }
};

Count sweep(const Request& a, const Copies& copies, const std::string& way) {
    Count count;
    const bool commands = way == "cli";
    const Job job = [&](int number, const Progress& at) {
        return commands ? byCommands(copies, number, at) : byWindow(copies, number, at);
    };
    runJobs(a.copies, a.limit, job, [&](const JobResult& result) {
        ++count.of.at(static_cast<std::size_t>(result.verdict));
        count.slowest = std::max(count.slowest, result.seconds);
        const test::DamagedCopy copy = copies.make(result.job);
        std::printf("%s %s %d: %s, %.1f s: [%s] %s\n", copies.good().c_str(), way.c_str(),
                    result.job, toString(result.verdict), result.seconds,
                    copy.what.substr(0, 200).c_str(), result.text.c_str());
        if (!a.keep.empty() && result.verdict > Verdict::Message)
            writeFileAtomically(fs::path(a.keep) /
                                    fmt::format("{}-{}-{}.pop",
                                                fs::path(copies.good()).stem().string(), way,
                                                result.job),
                                copy.bytes);
    });
    return count;
}

/// True if nothing was found.
bool sweepAll(const Request& a) {
    const QTemporaryDir folder;
    std::string table;
    bool bad = false;
    for (const std::string& profile : a.profiles) {
        const Copies copies(profile, a, folder.path().toStdString());
        for (const std::string way : {"cli", "window"}) {
            if (!a.only.empty() && a.only != way)
                continue;
            const Count count = sweep(a, copies, way);
            bad = bad || count.bad();
            table += fmt::format("{} by {}:", profile, way);
            for (std::size_t i = 0; i < verdicts; ++i)
                table += fmt::format(" {} {},", toString(static_cast<Verdict>(i)), count.of[i]);
            table += fmt::format(" slowest {:.1f} s\n", count.slowest);
        }
    }
    std::printf("\n%s", table.c_str());
    return !bad;
}

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    try {
        return sweepAll(parse(argc, argv)) ? 0 : 1;
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "damage_sweep: %s\n", error.what());
        return 2;
    }
}
