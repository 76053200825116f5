// A damaged profile, through everything that the reports of the command line and the window read.
// An input is what to do to one of a few small profiles (tests/support/damage.h), or a whole file.
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <fuzzer/FuzzedDataProvider.h>
#include <sstream>
#include <unistd.h>

#include "app/cli/report/report_json.h"
#include "core/analysis/accounting/cost_rows.h"
#include "core/analysis/compare/comparison.h"
#include "core/analysis/insights/insights.h"
#include "core/analysis/memory/address_map.h"
#include "core/analysis/programs/program_costs.h"
#include "core/analysis/programs/program_diff.h"
#include "core/base/error.h"
#include "core/export/chrome_trace.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/trace/tile_raster.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/support/damage.h"
#include "tests/support/profile_sql.h"
#include "tests/support/sample_pipeline.h"
#include "tests/support/sample_profile.h"

using namespace tilescope;
namespace fs = std::filesystem;

namespace {

template <class Read> void orRefuse(Read read) {
    try {
        read();
    } catch (const UserError&) {
    }
}

std::string writtenProfile(const Profile& profile) {
    const fuzz::ScratchFile file("sample");
    writeProfile(profile, file.path());
    std::ifstream stream(file.path(), std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

const std::vector<std::string>& goodProfiles() {
    constexpr std::int32_t tiles = 128;
    static const std::vector<std::string> profiles{
        writtenProfile(
            test::sampleProfile({.tilesPerIpu = tiles, .withCopy = true, .withValues = true})),
        writtenProfile(test::sampleProfile({.ipus = 2, .tilesPerIpu = tiles})),
        writtenProfile(test::sampleProfile({.tilesPerIpu = tiles, .tooLarge = true})),
        writtenProfile(test::samplePipelineRun()),
    };
    return profiles;
}

void readSections(const ProfileReader& reader) {
    const ProfileView profile(reader);
    for (const Report& report : allReports())
        orRefuse([&] {
            ReportRequest request;
            static_cast<void>(makeReport(report, profile, request));
            static_cast<void>(cli::reportJson(report, profile, request));
            if (report.listensTo(ReportOption::Step)) {
                request.step = StepId(1);
                static_cast<void>(makeReport(report, profile, request));
            }
            if (report.listensTo(ReportOption::Tile)) {
                request.step = {};
                request.selection = TileSelection::ofTile(TileId(3));
                static_cast<void>(makeReport(report, profile, request));
            }
        });
    for (const char* breakdown : {"region", "category", "liveness"})
        orRefuse([&] {
            ReportRequest request;
            request.breakdown = breakdown;
            static_cast<void>(memoryReport(profile, request));
        });
}

void readAddresses(const ProfileReader& reader) {
    const auto variables = reader.variables();
    const auto classes = reader.livenessClasses();
    const std::size_t steps = reader.steps().size();
    for (const std::int32_t tile : {0, 3, 127}) {
        const auto blocks = addressBlocks(reader.placement(TileId(tile)), variables, TileId(tile));
        static_cast<void>(addressGaps(blocks));
        static_cast<void>(addressSpans(blocks, variables, classes, steps));
    }
}

void readTrace(const ProfileReader& reader) {
    const ProfileInfo& info = reader.info();
    const TraceIndex index(reader.trace(), info.target.ipus, info.target.tilesPerIpu);
    const auto programs = reader.programs();
    const auto operations = reader.operations();
    std::ostringstream out;
    constexpr std::int64_t events = 500;
    writeChromeTrace(out, {info, index, programs, operations}, {{}, events});
    const CycleRange all{0, index.totalCycles()};
    const std::int64_t narrow = std::max<std::int64_t>(1, all.end / 200);
    const auto sets = reader.computeSets();
    const auto exchanges = reader.exchanges();
    const auto streams = reader.streams();
    for (std::int32_t ipu = 0; ipu < std::min(info.target.ipus, 2); ++ipu) {
        static_cast<void>(flameRows(index, programs, IpuId(ipu), all, narrow));
        static_cast<void>(index.statistics(IpuId(ipu), all));
        const TileSources sources{programs, sets, exchanges, streams, info.target.tilesPerIpu};
        const RasterQuestion question{IpuId(ipu), all, 60, 0, info.target.tilesPerIpu, 20};
        static_cast<void>(tileRaster(index, sources, question, {}));
    }
    const ProfileView view(reader);
    const auto costs = programCosts(view);
    static_cast<void>(costRows(view, *accountingOf(view), CostLayer::Place));
    const auto roots = reader.controlPrograms();
    const ProgramSide side{programs, roots, costs};
    static_cast<void>(diffPrograms(side, side));
    for (std::size_t program = 0; program < std::min<std::size_t>(programs.size(), 20); ++program) {
        static_cast<void>(index.findProgram(ProgramId(program), 0));
        static_cast<void>(index.findCall(ProgramId(program)));
    }
}

void readAll(const fs::path& file, const fs::path& other) {
    const ProfileReader reader(file);
    readSections(reader);
    orRefuse([&] { static_cast<void>(reader.load()); });
    orRefuse([&] { readAddresses(reader); });
    orRefuse([&] { readTrace(reader); });
    orRefuse([&] { static_cast<void>(reader.query("SELECT * FROM tile_map(3)")); });
    orRefuse([&] {
        static_cast<void>(reader.query("SELECT tile_sum(cycles_by_tile) FROM compute_sets"));
    });
    const auto damaged = std::make_shared<const ProfileView>(reader);
    const auto good = std::make_shared<const ProfileView>(other);
    orRefuse([&] { static_cast<void>(compareProfiles(ProfilePair(good, damaged))); });
    orRefuse([&] { static_cast<void>(compareProfiles(ProfilePair(damaged, good))); });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::ScratchFile file("damaged");
    static const fuzz::ScratchFile good("good");
    FuzzedDataProvider input(data, size);
    // A number of the list above or, for a whole file, none of them.
    const std::size_t which = input.ConsumeIntegral<std::uint8_t>() % (goodProfiles().size() + 1);
    if (which == goodProfiles().size()) {
        file.set(test::withChecksums(input.ConsumeRemainingBytesAsString()));
        good.set(goodProfiles()[0]);
    } else {
        const test::Draw draw = [&](std::uint64_t bound) {
            return input.ConsumeIntegralInRange<std::uint64_t>(0, bound - 1);
        };
        constexpr int mostChanges = 6;
        std::string copy = goodProfiles()[which];
        for (int i = 0; i < mostChanges && input.remaining_bytes() > 0; ++i)
            copy = test::damagedCopy(copy, draw).bytes;
        // Checksums would stop most of it at the first page.
        file.set(test::withChecksums(std::move(copy)));
        good.set(goodProfiles()[which]);
    }
    orRefuse([&] { readAll(file.path(), good.path()); });
    return 0;
}
