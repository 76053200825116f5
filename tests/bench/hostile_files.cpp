// Damaged and random files at every entry, in child processes:
//   hostile_files [--files N] [--seed S] [--limit SECONDS] [--only ENTRY] [--first N] [--keep DIR]
// An entry is a form of file that a command reads: onnx, job, list, keras, values, weights, idx,
// profile, sweep, cache, custom. Prints what is an error of ours, a crash, or takes more than
// SECONDS (20) of processor time, and for each entry how often what came out; exit status 1 if
// there was any of these.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <onnx/onnx_pb.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/commands/cli.h"
#include "core/base/atomic_file.h"
#include "simulator/zoo/zoo.h"
#include "tests/bench/damage/arguments.h"
#include "tests/bench/damage/damaged_text.h"
#include "tests/bench/damage/supervisor.h"
#include "tests/fuzz/message_mutator.h"
#include "tests/support/damage.h"
#include "tests/support/profile_sql.h"
#include "tests/support/reading_commands.h"

using namespace tilescope;
using namespace tilescope::bench;
namespace fs = std::filesystem;

namespace {

using Command = std::vector<std::string>;
using test::Draw;

const fs::path source = TILESCOPE_SOURCE_DIR;

struct Request {
    int files = 20'000;
    int first = 0;
    std::uint64_t seed = 1;
    double limit = 20;
    std::string only, keep;
};

Request parse(int argc, char** argv) {
    Request request;
    Arguments arguments(argc, argv);
    arguments.take("--files", request.files);
    arguments.take("--first", request.first);
    arguments.take("--seed", request.seed);
    arguments.take("--limit", request.limit);
    arguments.take("--only", request.only);
    arguments.take("--keep", request.keep);
    arguments.checkAllTaken();
    if (!arguments.words().empty())
        throw std::invalid_argument("there is no " + arguments.words().front());
    return request;
}

/// A sweep starts its own program anew for each point: here that is the command line's.
int runProcess(const Command& command, std::string& error) {
    std::string line = TILESCOPE_BIN_DIR "/tilescope";
    for (const std::string& word : command)
        line += fmt::format(" '{}'", word);
    const int status = std::system((line + " >out.txt 2>err.txt").c_str());
    error = readFile("err.txt");
    constexpr int exitInternal = 3;
    return WIFEXITED(status) ? WEXITSTATUS(status) : exitInternal;
}

int run(const Command& command, std::string& error) {
    if (command.front() == "sweep")
        return runProcess(command, error);
    std::ostringstream out;
    std::ostringstream err;
    const int status = cli::runCli(command, {out, err});
    error = err.str();
    return status;
}

std::vector<std::string> filesIn(const fs::path& folder, std::string_view extension,
                                 std::uintmax_t most) {
    std::vector<std::string> texts;
    std::error_code error;
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder, error))
        if (entry.is_regular_file() && entry.path().extension() == extension &&
            entry.file_size() < most)
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files)
        texts.push_back(readFile(file));
    return texts;
}

/// What good files there are, made in a folder by the first child.
class Seeds {
public:
    Seeds() {
        constexpr std::uintmax_t small = 16384;
        onnx_ = filesIn("/usr/share/libonnx-testdata/data", ".onnx", small);
        for (const char* name : {"mnist-cnn", "mnist-tutorial", "mlp"})
            for (int i = 0; i < 20; ++i)
                onnx_.push_back(sim::zooModel(name).SerializeAsString());
        for (const std::string& job : filesIn(source / "resources" / "jobs", ".json", small))
            (job.find("\"operations\"") == std::string::npos ? jobs_ : lists_).push_back(job);
        keras_ = filesIn(source / "tests" / "data" / "keras", ".json", 1 << 20);
        weights_ = filesIn(source / "tests" / "data" / "keras", ".npz", 1 << 20);
        values_ = filesIn(source / "tests" / "data" / "keras", ".npy", 1 << 20);
        idx_ = readFile(source / "tests" / "data" / "mnist" / "t10k-labels-idx1-ubyte.gz");
        customs_ = {R"({"own.ops.Cube": {"vertex": "Cube<float>", "inputs": ["like-result"],
            "result": {"shape": ["in0_0", "in0_1"], "type": "float"}, "cycles": "20 + 3 * n",
            "codeBytes": 200, "stateBytes": "16", "temporaryBytes": "n * 4", "flops": "2 * N"}})"};
        std::string error;
        run({"run", "mlp", "-o", "good", "--executable-cache", "cache"}, error);
        run({"run", "mnist-cnn", "-o", "trained", "--mode", "training", "--ipus", "2",
             "--execution", "pipelined", "--gradient-accumulation", "4", "--executable-cache",
             "cache"},
            error);
        run({"sweep", "mlp", "--vary", "batchSize=1,2", "-o", "grid", "--jobs", "1"}, error);
        profiles_ = {readFile("good/profile.pop"), readFile("trained/profile.pop")};
        sweep_ = readFile("grid/sweep.db");
        for (const auto& entry : fs::directory_iterator("cache"))
            cached_[entry.path().string()] = readFile(entry.path());
    }

    std::vector<std::string> onnx_, jobs_, lists_, keras_, weights_, values_, customs_, profiles_;
    std::string idx_, sweep_;
    std::map<std::string, std::string> cached_;
};

const std::string& oneOf(const std::vector<std::string>& all, const Draw& draw) {
    return all[draw(all.size())];
}

/// Options that send a model different ways.
Command runOf(const std::string& model, const Draw& draw) {
    Command command{"run", model, "--no-profile"};
    static const std::vector<Command> ways{
        {},
        {},
        {"--mode", "training"},
        {"--precision", "half", "--batch-size", "3"},
        {"--compute"},
        {"--ipus", "2", "--execution", "pipelined"},
        {"--mode", "training", "--loss", "mse", "--replicas", "2"}};
    const Command& way = ways[draw(ways.size())];
    command.insert(command.end(), way.begin(), way.end());
    return command;
}

std::string mutatedModel(const std::string& bytes, const Draw& draw) {
    onnx::ModelProto model;
    if (draw(4) == 0 || !model.ParseFromString(bytes))
        return damagedBytes(bytes, draw);
    if (draw(2) == 0) {
        changeNumber(model, draw);
        return model.SerializeAsString();
    }
    for (std::uint64_t changes = 1 + draw(2); changes > 0; --changes)
        fuzz::mutateMessage(model, static_cast<unsigned>(draw(1U << 31)));
    return model.SerializeAsString();
}

std::vector<Command> onnxEntry(const Seeds& seeds, const Draw& draw) {
    writeFileAtomically("net.onnx", mutatedModel(oneOf(seeds.onnx_, draw), draw));
    return {runOf("net.onnx", draw)};
}
std::vector<Command> jobEntry(const Seeds& seeds, const Draw& draw) {
    // Those of large models take longer than they teach.
    const std::string& job = oneOf(seeds.jobs_, draw);
    const std::string model = draw(8) == 0 ? "resnet50" : "mnist-cnn";
    std::string text = damagedText(job, draw);
    const std::size_t at = text.find("\"model\": \"");
    if (at != std::string::npos)
        text.replace(at + 10, text.find('"', at + 10) - at - 10, model);
    const std::size_t options = text.find("\"modelOptions\"");
    if (options != std::string::npos && text.find('}', options) != std::string::npos && draw(9) > 0)
        text.erase(options, text.find('}', options) + 2 - options);
    writeFileAtomically("job.json", text);
    return {{"run", "job.json", "--no-profile"}};
}
std::vector<Command> listEntry(const Seeds& seeds, const Draw& draw) {
    writeFileAtomically("job.json", damagedText(oneOf(seeds.lists_, draw), draw));
    return {{"run", "job.json", "--no-profile"}};
}
std::vector<Command> kerasEntry(const Seeds& seeds, const Draw& draw) {
    writeFileAtomically("model.json", damagedText(oneOf(seeds.keras_, draw), draw));
    return {runOf("model.json", draw)};
}
std::vector<Command> valuesEntry(const Seeds& seeds, const Draw& draw) {
    const bool npz = draw(3) == 0;
    const std::string file = npz ? "values.npz" : "values.npy";
    writeFileAtomically(file,
                        damagedBytes(oneOf(npz ? seeds.weights_ : seeds.values_, draw), draw));
    return {{"run", (source / "tests/data/keras/images.json").string(), "--no-profile", "--compute",
             draw(2) == 0 ? "--inputs" : "--expect", file}};
}
std::vector<Command> weightsEntry(const Seeds& seeds, const Draw& draw) {
    const char* name = draw(2) == 0 ? "images" : "sequences";
    const fs::path good = source / "tests/data/keras";
    writeFileAtomically(fmt::format("{}.json", name),
                        readFile(good / fmt::format("{}.json", name)));
    writeFileAtomically(fmt::format("{}.weights.npz", name),
                        damagedBytes(readFile(good / fmt::format("{}.weights.npz", name)), draw));
    static_cast<void>(seeds);
    return {{"run", fmt::format("{}.json", name), "--no-profile", "--compute"}};
}
std::vector<Command> idxEntry(const Seeds& seeds, const Draw& draw) {
    fs::create_directories("digits");
    for (const auto& entry : fs::directory_iterator(source / "tests/data/mnist"))
        fs::copy_file(entry.path(), fs::path("digits") / entry.path().filename(),
                      fs::copy_options::overwrite_existing);
    writeFileAtomically("digits/t10k-labels-idx1-ubyte.gz", damagedBytes(seeds.idx_, draw));
    return {{"run", "mlp", "--no-profile", "--compute", "--mode", "training", "--batch-size", "100",
             "--data", "digits"}};
}
std::string damagedProfile(const std::string& good, const Draw& draw) {
    std::string bytes = draw(6) == 0 ? test::hostileCopy(good, draw).bytes : good;
    for (std::uint64_t changes = 1 + draw(3); changes > 0; --changes)
        bytes = test::damagedCopy(bytes, draw).bytes;
    return draw(4) == 0 ? bytes : test::withChecksums(std::move(bytes));
}
std::vector<Command> profileEntry(const Seeds& seeds, const Draw& draw) {
    writeFileAtomically("damaged.pop", damagedProfile(oneOf(seeds.profiles_, draw), draw));
    const auto all = test::readingCommands("damaged.pop", "good/profile.pop");
    std::vector<Command> some;
    for (int i = 0; i < 4; ++i)
        some.push_back(all[draw(all.size())]);
    return some;
}
std::vector<Command> sweepEntry(const Seeds& seeds, const Draw& draw) {
    fs::create_directories("again");
    writeFileAtomically("again/sweep.db", draw(2) == 0
                                              ? damagedBytes(seeds.sweep_, draw)
                                              : test::damagedCopy(seeds.sweep_, draw).bytes);
    return {{"sweep", "mlp", "--vary", "batchSize=1,2", "-o", "again", "--jobs", "1"}};
}
std::vector<Command> cacheEntry(const Seeds& seeds, const Draw& draw) {
    for (const auto& [file, bytes] : seeds.cached_)
        writeFileAtomically(file, damagedProfile(bytes, draw));
    return {{"run", "mlp", "-o", "fromCache", "--executable-cache", "cache"}};
}
std::vector<Command> customEntry(const Seeds& seeds, const Draw& draw) {
    writeFileAtomically("own.json", damagedText(oneOf(seeds.customs_, draw), draw));
    onnx::ModelProto model = sim::zooModel("mlp");
    for (auto& node : *model.mutable_graph()->mutable_node())
        if (node.op_type() == "Relu") {
            node.set_op_type("Cube");
            node.set_domain("own.ops");
        }
    auto& set = *model.add_opset_import();
    set.set_domain("own.ops");
    set.set_version(1);
    writeFileAtomically("own.onnx", model.SerializeAsString());
    return {{"run", "own.onnx", "--no-profile", "--custom-operations", "own.json"}};
}

struct Entry {
    std::string name;
    std::vector<Command> (*make)(const Seeds& seeds, const Draw& draw);
    int share; ///< of all files
};
const std::vector<Entry>& entries() {
    static const std::vector<Entry> all{
        {"onnx", onnxEntry, 6},   {"job", jobEntry, 3},         {"list", listEntry, 2},
        {"keras", kerasEntry, 3}, {"values", valuesEntry, 2},   {"weights", weightsEntry, 1},
        {"idx", idxEntry, 1},     {"profile", profileEntry, 3}, {"sweep", sweepEntry, 1},
        {"cache", cacheEntry, 1}, {"custom", customEntry, 1}};
    return all;
}

const Entry& entryOf(int number, const std::string& only) {
    std::vector<const Entry*> turn;
    for (const Entry& entry : entries())
        if (only.empty() || entry.name == only)
            turn.insert(turn.end(), static_cast<std::size_t>(entry.share), &entry);
    if (turn.empty())
        throw std::invalid_argument("no entry " + only);
    return *turn[static_cast<std::size_t>(number) % turn.size()];
}

JobResult hostile(const Request& a, int number, const Progress& at) {
    static const Seeds seeds = (limitMemory(), Seeds());
    const Draw draw =
        test::seededDraw(a.seed * 1'000'003 + static_cast<std::uint64_t>(a.first + number));
    const Entry& entry = entryOf(a.first + number, a.only);
    at("making the files");
    JobResult result;
    for (const Command& command : entry.make(seeds, draw)) {
        const std::string words = fmt::format("{}", fmt::join(command, " "));
        at(words);
        std::string error;
        const int status = run(command, error);
        const bool said = status < 2 || error.starts_with("tilescope: error: ");
        const Verdict verdict = status > 2   ? Verdict::Internal
                                : !said      ? Verdict::NoMessage
                                : status < 2 ? Verdict::Fine
                                             : Verdict::Message;
        if (verdict > result.verdict) {
            result.verdict = verdict;
            result.text = words + ": " + error;
        }
    }
    return result;
}

/// True if nothing was found.
bool tryFiles(const Request& a) {
    const fs::path folder =
        a.keep.empty() ? fs::temp_directory_path() / fmt::format("hostile_files.{}", ::getpid())
                       : fs::path(a.keep);
    fs::create_directories(folder);
    fs::current_path(folder);
    std::map<std::string, std::array<int, verdicts>> counts;
    double slowest = 0;
    bool bad = false;
    runJobs(
        a.files, a.limit, [&](int number, const Progress& at) { return hostile(a, number, at); },
        [&](const JobResult& result) {
            const std::string& entry = entryOf(a.first + result.job, a.only).name;
            ++counts[entry].at(static_cast<std::size_t>(result.verdict));
            slowest = std::max(slowest, result.seconds);
            const bool slow = result.seconds > a.limit;
            if (result.verdict <= Verdict::Message && !slow)
                return;
            bad = true;
            std::printf("%s %d: %s, %.1f s: %s\n", entry.c_str(), a.first + result.job,
                        toString(result.verdict), result.seconds, result.text.c_str());
        });
    for (const auto& [entry, of] : counts) {
        std::string line = fmt::format("{:8}", entry);
        for (std::size_t i = 0; i < verdicts; ++i)
            line += fmt::format(" {} {},", toString(static_cast<Verdict>(i)), of[i]);
        std::puts(line.c_str());
    }
    std::printf("slowest %.1f s\n", slowest);
    if (a.keep.empty())
        fs::remove_all(folder);
    return !bad;
}

} // namespace

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    google::protobuf::SetLogHandler(nullptr);
    try {
        return tryFiles(parse(argc, argv)) ? 0 : 1;
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "hostile_files: %s\n", error.what());
        return 2;
    }
}
