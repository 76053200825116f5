// Profiles of ipu-stack. tests/data/ipu_stack has samples as text and as Cap'n Proto's own program
// encoded them, with the layout of the documented schemas.
#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/import/import_cache.h"
#include "core/import/ipu_stack.h"
#include "core/report/report.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/view/profile_view.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace ipu_stack_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

namespace {
const fs::path samples = fs::path(TILESCOPE_SOURCE_DIR) / "tests/data/ipu_stack";
}

class IpuStackTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;

    [[nodiscard]] fs::path file(const char* name, const std::string& content) const {
        const fs::path path = fs::path(folder_.path().toStdString()) / name;
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }
    static Profile imported() {
        return importIpuStack(samples / "cycles.capnp", samples / "memory.capnp", {}).profile;
    }
    /// Read, or refused in a sentence, and then a profile that can be read.
    void tryIt(const std::string& cycles, const std::string& memory) const {
        try {
            const Imported made =
                importIpuStack(file("cycles", cycles), file("memory", memory), {});
            const fs::path written = fs::path(folder_.path().toStdString()) / "it.pop";
            writeProfile(made.profile, written);
            (void)ProfileReader(written).load();
        } catch (const UserError&) {
        }
    }

private slots:
    void filesAreKnownByTheirContent() {
        QVERIFY(ipuStackPartOf(samples / "cycles.capnp") == IpuStackPart::Cycles);
        QVERIFY(ipuStackPartOf(samples / "memory.capnp") == IpuStackPart::Memory);
        QVERIFY(!ipuStackPartOf(samples / "cycles.txt"));
        QVERIFY(formOf(samples / "cycles.capnp") == FileForm::IpuStack);
        QVERIFY(userError([&] {
                    (void)importFile(file("alone.capnp", readFile(samples / "memory.capnp")), {});
                }).contains("only the memory"));
    }

    // Whichever of the two is opened.
    void theOtherPartIsFoundBesideIt() {
        const fs::path folder = fs::path(folder_.path().toStdString()) / "both";
        fs::create_directory(folder);
        fs::copy_file(samples / "cycles.capnp", folder / "gemm-profile.capnp");
        fs::copy_file(samples / "memory.capnp", folder / "gemm-memory.capnp");
        std::ofstream(folder / "notes.txt") << "nothing";
        for (const char* name : {"gemm-profile.capnp", "gemm-memory.capnp"}) {
            const fs::path profile = profileToOpen(folder / name, folder / "cache");
            QCOMPARE(ProfileReader(profile).load().trace.bodies.size(), std::size_t{1});
            QVERIFY(profileToOpen(folder / name, folder / "cache") == profile);
        }
        fs::copy_file(samples / "memory.capnp", folder / "other-memory.capnp");
        QVERIFY(!ipuStackPartner(folder / "gemm-profile.capnp"));
        QVERIFY(userError([&] {
                    (void)profileToOpen(folder / "gemm-profile.capnp", folder / "cache");
                }).contains("only the cycles"));
    }

    // The counter of 32 bits wraps within the first samples.
    void samplesAreStepsOfPhases() {
        const Profile profile = imported();
        QCOMPARE(text(profile.info.target.name), "c600");
        QCOMPARE(profile.info.target.clockHz, 1.5e9);
        QVERIFY(profile.info.origin.kind == OriginKind::Measured);
        const TraceBody& body = profile.trace.bodies[TraceBodyId(0)];
        QCOMPARE(body.steps.size(), std::size_t{3});
        QVERIFY(body.steps[0].kind == ProgramKind::DoExchange);
        QCOMPARE(body.steps[0].ipus[0].start, std::int64_t{0});
        QCOMPARE(body.steps[0].ipus[0].cycles, std::int64_t{18}); // to the last tile's end
        const StepOnIpu& compute = body.steps[1].ipus[0];
        QCOMPARE(compute.start, std::int64_t{18});
        QCOMPARE(compute.cycles, std::int64_t{98});
        QCOMPARE(compute.activeTiles, std::int64_t{2});
        QVERIFY(body.steps[2].kind == ProgramKind::Sync && !body.steps[2].program.valid());
        QCOMPARE(profile.info.cycles, std::int64_t{136});
    }

    void kernelsAreVerticesOnTheirTiles() {
        const Profile profile = imported();
        QCOMPARE(profile.computeSets.size(), std::size_t{1});
        const ComputeSet& set = profile.computeSets[ComputeSetId(0)];
        QCOMPARE(text(set.name), "layer0/gemm and 1 more");
        QCOMPARE(set.cycles.at(TileId(3)), std::int64_t{100});
        QCOMPARE(set.cycles.at(TileId(260)), std::int64_t{58});
        QCOMPARE(set.cycles.at(TileId(9)), std::int64_t{0}); // idle
        QCOMPARE(set.vertices.size(), std::size_t{2});
        QCOMPARE(profile.operations.size(), std::size_t{2});
        QCOMPARE(profile.info.vertices, std::int64_t{3});
    }

    void regionsAreVariablesWithAddresses() {
        const Profile profile = imported();
        QCOMPARE(profile.info.target.bytesPerTile, std::int64_t{638976});
        const TileMemory& tile = profile.tileMemory[TileId(3)];
        // "left" and "acc" share 500 bytes.
        QCOMPARE(tile.excludingGaps, std::int64_t{4096 + 1500});
        QCOMPARE(tile.includingGaps, std::int64_t{320500 + 1000 - 311296});
        QCOMPARE(tile.alwaysLive, std::int64_t{4096});
        QCOMPARE(tile.maxNotAlwaysLive, std::int64_t{2000});
        // Tile 260 has "left" twice.
        QCOMPARE(profile.variables.size(), std::size_t{4});
        const Variable& left = profile.variables[VariableId(1)];
        QCOMPARE(text(left.name), "left");
        QCOMPARE(left.bytes.at(TileId(260)), std::int64_t{64});
        QVERIFY(profile.livenessClasses[left.liveness].contains(StepId(0)));
        QVERIFY(profile.livenessClasses[left.liveness].contains(StepId(1)));
    }

    void theProfileIsReadByEveryReport() {
        const fs::path written = fs::path(folder_.path().toStdString()) / "all.pop";
        writeProfile(imported(), written);
        const ProfileView view(written);
        for (const Report& report : allReports())
            (void)makeReport(report, view, {});
        QVERIFY(!view.info().has(ProfilePart::ExchangeBytes));
        QVERIFY(view.info().has(ProfilePart::Addresses));
    }

    /// Cut anywhere, or with any bit changed, files are read or refused.
    void damageDoesNoHarm() {
        const std::string cycles = readFile(samples / "cycles.capnp");
        const std::string memory = readFile(samples / "memory.capnp");
        for (std::size_t bytes = 0; bytes < cycles.size(); bytes += 8)
            tryIt(cycles.substr(0, bytes), memory);
        const auto damaged = [](std::string content, std::size_t at) {
            content[at] = static_cast<char>(content[at] ^ (1 << (at % 8)));
            return content;
        };
        for (std::size_t at = 0; at < cycles.size(); at += 3)
            tryIt(damaged(cycles, at), memory);
        for (std::size_t at = 0; at < memory.size(); at += 3)
            tryIt(cycles, damaged(memory, at));
    }

    // Lists of lists that lead to the same bytes would take forever.
    void pointersThatRepeatAreRefused() {
        std::string content = readFile(samples / "cycles.capnp");
        // The list of tiles claims as many elements as words allow, all of no size.
        const std::size_t tag = 8 + 8 * 4;
        content[tag + 4] = content[tag + 6] = 0;
        QVERIFY(userError([&] {
                    (void)importIpuStack(file("hostile", content), samples / "memory.capnp", {});
                }).contains("damaged"));
    }
};

TILESCOPE_TEST(IpuStackTest)

} // namespace ipu_stack_test

#include "ipu_stack_test.moc"
