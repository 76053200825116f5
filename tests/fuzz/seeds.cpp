// Writes what the fuzzers begin with: fuzz_seeds DIRECTORY makes a folder for each fuzzer in it,
// and job.dict, the words of job files.
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <zstd.h>

#include "core/base/atomic_file.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"
#include "core/store/profile_writer.h"
#include "simulator/zoo/zoo.h"
#include "tests/support/damage.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_profile.h"

using namespace tilescope;
namespace fs = std::filesystem;

namespace {

class Folder {
public:
    explicit Folder(fs::path path)
        : path_(std::move(path)) {
        fs::create_directories(path_);
    }
    void add(const std::string& bytes) {
        writeFileAtomically(path_ / fmt::format("seed-{:04}", ++count_), bytes);
    }
    [[nodiscard]] int count() const { return count_; }

private:
    fs::path path_;
    int count_ = 0;
};

std::string textOf(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

test::SampleOptions smallSample() {
    return {.tilesPerIpu = 128, .withCopy = true};
}

void writeBlobs(Folder folder) {
    const Profile profile = test::sampleProfile(smallSample());
    for (const Variable& variable : profile.variables)
        folder.add(textOf(variable.bytes.encode()));
    const std::vector<std::byte>& chunk = profile.placements.front().packed;
    folder.add(textOf(chunk));
    std::string raw(ZSTD_getFrameContentSize(chunk.data(), chunk.size()), '\0');
    ZSTD_decompress(raw.data(), raw.size(), chunk.data(), chunk.size());
    folder.add(raw);
}

void writeJobs(Folder folder) {
    for (const auto& entry : fs::directory_iterator(TILESCOPE_SOURCE_DIR "/resources/jobs"))
        folder.add(readFile(entry.path()));
    // Every option once, with its default.
    for (const OptionSpec& spec : runOptionTable())
        folder.add(fmt::format(R"({{"model": "resnet50", "{}": "{}"}})", spec.key,
                               spec.choices.empty() ? spec.defaultValue : spec.choices.back()));
    for (const sim::ZooEntry& entry : sim::zooEntries())
        for (const sim::ZooOption& option : entry.options)
            folder.add(fmt::format(R"({{"model": "{}", "modelOptions": {{"{}": "{}"}}}})",
                                   entry.name, option.key, option.defaultValue));
}

void writeDictionary(const fs::path& file) {
    std::string words;
    const auto add = [&](const std::string& word) {
        words += fmt::format("\"\\\"{}\\\"\"\n", word);
    };
    for (const char* word : {"model", "name", "type", "inputs", "variables", "operations",
                             "dataType", "matMul", "add", "mul", "half", "float"})
        add(word);
    for (const OptionSpec& spec : runOptionTable()) {
        add(spec.key);
        for (const std::string& choice : spec.choices)
            add(choice);
    }
    for (const sim::ZooEntry& entry : sim::zooEntries()) {
        add(entry.name);
        for (const sim::ZooOption& option : entry.options)
            add(option.key);
    }
    writeFileAtomically(file, words);
}

void writeModels(Folder folder) {
    constexpr std::uintmax_t mostBytes = 16384;
    const std::string plainImport(1, '\0');
    for (const sim::ZooEntry& entry : sim::zooEntries())
        if (std::string model = sim::zooModel(entry.name).SerializeAsString();
            model.size() < mostBytes)
            folder.add(model + plainImport);
    // Models of single operators, from the package libonnx-testdata.
    const fs::path data = "/usr/share/libonnx-testdata/data";
    if (!fs::exists(data))
        return std::puts("libonnx-testdata is not installed: models are those of the zoo"), void();
    for (const auto& entry : fs::recursive_directory_iterator(data))
        if (entry.path().filename() == "model.onnx" && entry.file_size() < mostBytes)
            folder.add(readFile(entry.path()) + plainImport);
}

void writeProfiles(Folder folder, const fs::path& scratch) {
    constexpr std::uint64_t edits = 400;
    constexpr std::uint64_t bytes = 48;
    const test::Draw draw = test::seededDraw(1);
    for (std::uint64_t i = 0; i < edits; ++i) {
        std::string input;
        for (std::uint64_t b = 0; b < bytes; ++b)
            input += static_cast<char>(draw(256));
        folder.add(input);
    }
    writeProfile(test::sampleProfile(smallSample()), scratch);
    // The last byte says that a whole file stands before it.
    constexpr char wholeFile = 4;
    folder.add(readFile(scratch) + wholeFile);
    fs::remove(scratch);
}

/// The last byte says which: see import_fuzzer.cpp.
void writeImports(Folder folder, const fs::path& scratch) {
    const auto add = [&](const std::string& bytes, char which) { folder.add(bytes + which); };
    test::writeSampleCapture(scratch);
    add(readFile(scratch), 1);
    fs::remove(scratch);
    constexpr std::uint64_t edits = 60, bytes = 48;
    const test::Draw draw = test::seededDraw(2);
    for (std::uint64_t i = 0; i < edits; ++i) {
        std::string input;
        for (std::uint64_t b = 0; b < bytes; ++b)
            input += static_cast<char>(draw(256));
        add(input, 0);
    }
    add(R"({"traceEvents":[{"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"name":"Main"}},)"
        R"({"ph":"X","name":"a","cat":"c","pid":7,"tid":1,"ts":1,"dur":50.5,"args":{"k":[{"ts":1}]}},)"
        R"({"ph":"B","name":"b","pid":7,"tid":1,"ts":2},{"ph":"E","pid":7,"tid":1,"ts":3},)"
        R"({"ph":"i","name":"i","pid":7,"tid":2,"ts":4},{"ph":"C","name":"q","ts":5,"args":{"n":3}},)"
        R"({"ph":"b","name":"r","cat":"net","id":"0x1","ts":6},{"ph":"e","name":"r","cat":"net","id":"0x1","ts":9}]})",
        2);
    add(R"([{"ph":"X","name":"a","ts":1,"dur":1},)", 2);
    const fs::path samples = TILESCOPE_SOURCE_DIR "/tests/data/ipu_stack";
    add(readFile(samples / "cycles.capnp"), 3);
    add(readFile(samples / "memory.capnp"), 4);
    add(R"({"base":"mk2","name":"pod","constants":{"internalSyncCycles":150,"hostBytesPerSecond":6e9}})",
        5);
    for (const char* address :
         {"ssh://me@pod:2222/a b/profile.pop", "ssh://pod/~/x", "ssh://[::1]:22/x"})
        add(address, 6);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2)
        return std::fputs("usage: fuzz_seeds DIRECTORY\n", stderr), 2;
    const fs::path directory = argv[1];
    writeBlobs(Folder(directory / "tile_series"));
    writeJobs(Folder(directory / "job"));
    writeDictionary(directory / "job.dict");
    writeModels(Folder(directory / "onnx_import"));
    writeProfiles(Folder(directory / "profile_reader"), directory / "profile.tmp");
    writeImports(Folder(directory / "import"), directory / "capture.tmp");
    return 0;
}
