#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/base/atomic_file.h"
#include "core/base/formula.h"
#include "core/base/ids.h"
#include "core/base/parallel_for.h"
#include "core/base/pattern.h"
#include "core/base/printable.h"
#include "core/base/radix_sort.h"
#include "core/base/suggest.h"
#include "core/base/units.h"
#include "core/target/target.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace base_test {
using namespace tilescope;
using tilescope::test::text;
using tilescope::test::userError;
namespace fs = std::filesystem;

class BaseTest : public QObject {
    Q_OBJECT

private slots:
    void textsAreCutBetweenCharacters() {
        const std::string wide = "a\u00e9\u20ac"; // of 1, 2 and 3 bytes
        const std::array<std::size_t, 8> bytes{0, 1, 1, 3, 3, 3, 6, 6};
        for (std::size_t most = 0; most < bytes.size(); ++most)
            QCOMPARE(firstBytes(wide, most).size(), bytes[most]);
        QCOMPARE(firstBytes("\x80\x80\x80", 2).size(), std::size_t{0}); // within no character
    }

    void writesUnits() {
        QCOMPARE(text(formatBytes(0)), "0 B");
        QCOMPARE(text(formatBytes(1023)), "1023 B");
        QCOMPARE(text(formatBytes(638976)), "624 KiB");
        QCOMPARE(text(formatBytes(1572864)), "1.50 MiB");
        QCOMPARE(text(formatBytes(1572864, ByteUnits::Si)), "1.57 MB");
        QCOMPARE(text(formatBytes(1572864, ByteUnits::Plain)), "1,572,864 B");
        QCOMPARE(text(withThousands(-1234567)), "-1,234,567");
        QCOMPARE(text(withThousands(-123)), "-123");
        QCOMPARE(text(formatCycles(1)), "1 cycle");
        QCOMPARE(text(formatCycles(34655)), "34,655 cycles");
        QCOMPARE(text(formatCyclesAndTime(1325000, 1.325e9)), "1,325,000 cycles (1.00 ms)");
        QCOMPARE(text(formatCyclesAndTime(7, 0)), "7 cycles");
        QCOMPARE(text(formatPercent(1, 0)), "0.0 %");
        QCOMPARE(text(formatPercent(1, 8)), "12.5 %");
        QCOMPARE(text(formatFlops(2.5e9)), "2.50 GFLOP");
    }

    void findsTheNearestName() {
        QCOMPARE(editDistance("kitten", "sitting"), std::size_t(3));
        QCOMPARE(editDistance("", "abc"), std::size_t(3));
        const std::vector<std::string> names{"batchSize", "precision", "target"};
        QCOMPARE(text(didYouMean("bathSize", names)), " Did you mean 'batchSize'?");
        QCOMPARE(text(didYouMean("somethingElse", names)), "");
        QCOMPARE(text(didYouMean("x", {})), "");
    }

    void sortsByDigitsAsByComparing() {
        struct Item {
            std::uint64_t key;
            std::size_t number;
            bool operator==(const Item&) const = default;
        };
        // Short and long lists; keys that differ in low bytes, high ones, and in some between.
        for (const std::size_t count : {0, 1, 63, 64, 1000})
            for (const std::uint64_t mask : {std::uint64_t{0x0F}, std::uint64_t{0xFF00FF},
                                             std::uint64_t{3} << 62, ~std::uint64_t{0}}) {
                std::vector<Item> items;
                std::uint64_t random = 1;
                for (std::size_t i = 0; i < count; ++i) {
                    random = random * 6364136223846793005U + 1442695040888963407U;
                    items.push_back({(random ^ random >> 33) & mask, i});
                }
                std::vector<Item> expected = items;
                std::stable_sort(expected.begin(), expected.end(),
                                 [](const Item& a, const Item& b) { return a.key < b.key; });
                radixSort(items, [](const Item& item) { return item.key; });
                QVERIFY(items == expected);
            }
    }

    void idsAreNoneByDefault() {
        QVERIFY(!TileId().valid());
        QVERIFY(TileId(0).valid());
        QVERIFY(TileId(1) < TileId(2));
    }

    void targetsHaveTheirPublicConstants() {
        QCOMPARE(targetPreset("mk1").tilesPerIpu, 1216);
        QCOMPARE(targetPreset("mk2").tilesPerIpu, 1472);
        QCOMPARE(targetPreset("mk2").bytesPerTile, 638976);
        QCOMPARE(targetPreset("bow").clockHz, 1.85e9);
        QCOMPARE(userError([] { (void)targetPreset("mk3"); }),
                 "unknown target 'mk3': the targets are mk1, mk2, bow, c600, m2000, bow2000, pod4, "
                 "pod16, pod64, pod128, pod256, bow-pod4, bow-pod16, bow-pod64, bow-pod128, "
                 "bow-pod256. Did you mean 'mk1'?");
        QCOMPARE(targetPreset("mk2").systemIpus, 0);
        QCOMPARE(targetPreset("bow-pod64").systemIpus, 64);
        QCOMPARE(targetPreset("bow-pod64").clockHz, 1.85e9);
        for (const Target& target : targetPresets())
            for (const TargetConstant& constant : targetConstants(target))
                QVERIFY2(!constant.source.empty(), constant.name.c_str());
    }

    void physicalTilesAreAPermutation_data() {
        QTest::addColumn<int>("tiles");
        for (const int tiles : {4, 62, 64, 100, 1216, 1472})
            QTest::addRow("%d tiles", tiles) << tiles;
    }
    void physicalTilesAreAPermutation() {
        QFETCH(int, tiles);
        Target target = targetPreset("mk2");
        target.tilesPerIpu = tiles;
        std::vector<bool> seen(static_cast<std::size_t>(tiles), false);
        for (int tile = 0; tile < tiles; ++tile) {
            const std::int32_t place = physicalTileId(target, tile);
            QVERIFY(place >= 0 && place < tiles);
            QVERIFY(!seen[static_cast<std::size_t>(place)]);
            seen[static_cast<std::size_t>(place)] = true;
        }
    }

    void keepsAnOlderFileUntilTheNewOneIsComplete() {
        const QTemporaryDir directory;
        const fs::path file = fs::path(directory.path().toStdString()) / "deep" / "file.txt";
        writeFileAtomically(file, "first");
        {
            const AtomicFile abandoned(file);
            QVERIFY(fs::exists(abandoned.temporaryPath()));
        }
        QCOMPARE(text(readFile(file)), "first");
        writeFileAtomically(file, "second");
        QCOMPARE(text(readFile(file)), "second");
        QCOMPARE(std::distance(fs::directory_iterator(file.parent_path()), {}), 1);
    }

    void aRefusedFileLeavesNoDirectories() {
        const QTemporaryDir directory;
        const fs::path folder = directory.path().toStdString();
        { const AtomicFile refused(folder / "a" / "b" / "file.txt"); }
        QVERIFY(!fs::exists(folder / "a"));
        {
            const AtomicFile refused(folder / "a" / "file.txt");
            writeFileAtomically(folder / "a" / "other.txt", "x");
        }
        QVERIFY(fs::exists(folder / "a" / "other.txt"));
    }

    void whatAKilledProcessLeftIsRemoved() {
        const QTemporaryDir directory;
        const fs::path folder = directory.path().toStdString();
        const auto count = [&] { return std::distance(fs::directory_iterator(folder), {}); };
        const AtomicFile inUse(folder / "file.txt");
        const auto longAgo = fs::file_time_type::clock::now() - std::chrono::hours(1);
        fs::last_write_time(inUse.temporaryPath(), longAgo);
        for (const char* name : {".file.txt.abcdef", ".file.txt.recent", ".other.txt.abcdef"})
            std::ofstream(folder / name) << "x";
        for (const char* name : {".file.txt.abcdef", ".other.txt.abcdef"})
            fs::last_write_time(folder / name, longAgo);
        writeFileAtomically(folder / "file.txt", "whole");
        QVERIFY(!fs::exists(folder / ".file.txt.abcdef"));
        QVERIFY(fs::exists(inUse.temporaryPath()));
        QCOMPARE(count(), 4);
    }

    void formulasHaveValues_data() {
        QTest::addColumn<QString>("formula");
        QTest::addColumn<double>("value");
        QTest::newRow("rounded up") << "20 + 3 * ceil(n / workers)" << 71.0;
        QTest::newRow("functions") << "max(1, min(n, 7)) + floor(2.5) + sqrt(9) + log2(8)" << 15.0;
        QTest::newRow("signs") << "-(n - 3) * -2" << 188.0;
        QTest::newRow("a choice") << "n < 100 ? 1e3 : 2" << 1000.0;
    }
    void formulasHaveValues() {
        QFETCH(QString, formula);
        QTEST(evaluateFormula(formula.toStdString(), {{"n", 97}, {"workers", 6}}), "value");
    }

    void wrongFormulasAreMessages_data() {
        QTest::addColumn<std::string>("formula");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const std::string& formula, const QString& message) {
            QTest::newRow(name) << formula << message;
        };
        row("unknown name", "3 * m",
            "formula '3 * m': 'm' at 4 is neither a name known here (n, workers) nor a function "
            "such as ceil, floor, log2, max, min and sqrt");
        row("nothing", "", "formula '': Expression is empty.");
        row("open bracket", "(n", "formula '(n': Missing parenthesis");
        row("two numbers", "1 2", "formula '1 2': Unexpected value \"2\" found at position 2");
        row("two values", "1, 2", "formula '1, 2': it has several values instead of one");
        row("an assignment", "n = 2",
            "formula 'n = 2': Unexpected operator \"=\" found at position 2");
        const std::string depth(100'000, '(');
        row("too deep", depth, text("formula '" + shortened(depth) + "': Expression too long."));
    }
    void wrongFormulasAreMessages() {
        QFETCH(std::string, formula);
        QFETCH(QString, message);
        try {
            evaluateFormula(formula, {{"n", 97}, {"workers", 6}});
            QFAIL("taken");
        } catch (const std::invalid_argument& error) {
            QCOMPARE(text(error.what()), message);
        }
    }

    void aWriteThatFailsNamesTheFileAndTheReason() {
        const QTemporaryDir directory;
        const fs::path file = fs::path(directory.path().toStdString()) / "file.txt";
        const pid_t child = ::fork();
        if (child == 0) {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{1000, 1000};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            const QString error =
                userError([&] { writeFileAtomically(file, std::string(100'000, 'x')); });
            ::_exit(error == text("cannot write '" + file.string() + "': File too large") ? 0 : 1);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
        QVERIFY(fs::is_empty(file.parent_path()));
    }

    void namesFilesThatCannotBeReadOrWritten() {
        const QTemporaryDir directory;
        const fs::path base = directory.path().toStdString();
        const std::string regular = (base / "regular").string();
        writeFileAtomically(regular, "x");
        QCOMPARE(userError([&] { writeFileAtomically(regular + "/below/file", "x"); }),
                 text("cannot create directory '" + regular + "/below': Not a directory"));
        QCOMPARE(userError([&] { (void)readFile(regular + ".missing"); }),
                 text("cannot read '" + regular + ".missing': No such file or directory"));
        QCOMPARE(userError([&] { (void)readFile(base); }),
                 text("cannot read '" + base.string() + "': it is a directory"));
    }

    /// What would need a stack as deep as the text, or time as the power of its length.
    void patternsAreSafeOnAnyText() {
        QVERIFY(Pattern("^conv[0-9]+/").isIn("conv12/weights"));
        QVERIFY(!Pattern("^conv").isIn("layer/conv"));
        QVERIFY(Pattern("b.*z").isIn(std::string("abc") + '\0' + "\xffz"));
        const std::string longName(1'000'000, 'L');
        QVERIFY(!Pattern("(L+L+)+$X").isIn(longName));
        QVERIFY(Pattern("(L|L)*$").isIn(longName));
        QVERIFY(
            userError([] { (void)Pattern("["); }).contains("'[' is not a regular expression: "));
        QVERIFY(userError([] { (void)Pattern("(a)\\1"); }).contains("is not a regular expression"));
    }

    void namesThatNobodyTypedAreNotCompared() {
        const std::string huge(100'000'000, 'x');
        QCOMPARE(text(didYouMean(huge, {"model", "batchSize"})), "");
        QCOMPARE(text(shortened("short")), "short");
        QVERIFY(shortened(huge).size() < 100);
        QCOMPARE(text(shortened(std::string(79, 'x') + "\u00e9\u00e9")),
                 QString(79, 'x') + QStringLiteral("\u2026"));
    }

    void aParallelLoopCallsEachOnce() {
        std::vector<int> calls(1000);
        parallelFor(calls.size(), [&](std::size_t i) { ++calls[i]; });
        QCOMPARE(calls, std::vector<int>(1000, 1));
        parallelFor(0, [&](std::size_t i) { ++calls[i]; });
        QVERIFY_THROWS_EXCEPTION(UserError, parallelFor(calls.size(), [](std::size_t i) {
                                     if (i == 700)
                                         throw UserError("the 700th");
                                 }));
    }
};

TILESCOPE_TEST(BaseTest)

} // namespace base_test

#include "base_test.moc"
