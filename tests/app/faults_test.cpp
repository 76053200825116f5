// Fault injection: in a small run, a point of a sweep, runs with a cache, an export and a picture,
// the n-th call of a kind fails. Existing files stay as they were, nothing is left over, and a
// message gives the reason. TILESCOPE_FAULTS=all tries every n; otherwise some of each at random,
// from a seed that can be set with TILESCOPE_FAULTS_SEED.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <sys/wait.h>

#include "core/base/atomic_file.h"
#include "core/database/page_checksum.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "tests/support/faults/fault_server.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace faults_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

constexpr const char* tinyJob = R"({"model": {"name": "tiny", "dataType": "float",
    "variables": {"a": [4, 4], "b": [4, 4]},
    "operations": [{"name": "c", "type": "matMul", "inputs": ["a", "b"]}]},
    "target": "mk2", "tilesPerIpu": 4})";
const std::string former = "what was there before";

struct Scenario {
    const char* name;
    std::vector<std::string> words; ///< the program in bin, and its arguments
    std::string output;             ///< the file that must be complete, or as before
    std::set<std::string> besides;  ///< other files and folders that may exist
    std::function<QString(const fs::path&)> problem; ///< in the output of a successful run
    bool started = false;                            ///< faults are in the program that it starts
    int samples = 12;                                ///< of each kind
    /// Qt and the libraries below it do not survive every failed allocation.
    bool librariesMayCrash = false;
};

QString problemOfProfile(const fs::path& file) {
    return userError([&] {
               const ProfileReader reader(file);
               verifyChecksums(reader.file());
           }) == QStringLiteral("no error")
               ? QString()
               : QStringLiteral("a profile that cannot be read");
}

QString problemOfPicture(const fs::path& file) {
    const std::string bytes = readFile(file);
    constexpr std::size_t checkSum = 4; // after the name of the last part
    const bool whole = bytes.starts_with("\x89PNG") && bytes.size() > 8 + checkSum &&
                       bytes.substr(bytes.size() - 4 - checkSum, 4) == "IEND";
    return whole ? QString() : QStringLiteral("no whole picture");
}

QString problemOfDot(const fs::path& file) {
    return readFile(file).ends_with("}\n") ? QString() : QStringLiteral("half a graph");
}

std::vector<Scenario> scenarios() {
    const std::string T = test::programPath("tilescope").toStdString();
    std::vector<Scenario> all{
        {"run", {T, "run", "job.json", "-o", "."}, "profile.pop", {}, problemOfProfile},
        {"sweep",
         {T, "sweep", "job.json", "--vary", "availableMemoryProportion=0.6", "--jobs", "1", "-o",
          ".", "--vary", "tilesPerIpu=4", "--heat-map", "map.svg"},
         "map.svg",
         {"sweep.db"},
         [](const fs::path&) { return QString(); },
         false,
         4},
        {"point",
         {T, "sweep", "job.json", "--vary", "availableMemoryProportion=0.6", "--jobs", "1", "-o",
          ".", "--keep-profiles"},
         "0_availableMemoryProportion=0.6/profile.pop",
         {"sweep.db", "0_availableMemoryProportion=0.6"},
         problemOfProfile,
         true,
         4},
        {"cache",
         {T, "run", "mlp", "--executable-cache", "cache", "-o", "."},
         "profile.pop",
         {"cache"},
         problemOfProfile,
         false,
         4},
        {"cached",
         {T, "run", "mlp", "--executable-cache", "../cache", "-o", "."},
         "profile.pop",
         {},
         problemOfProfile,
         false,
         4},
        {"export",
         {T, "export", "sample.pop", "--format", "dot", "-o", "graph.dot"},
         "graph.dot",
         {},
         problemOfDot},
    };
#ifdef TILESCOPE_HAS_GUI
    all.push_back({"picture",
                   {test::programPath("tilescope-gui").toStdString(), "--grab", "summary=view.png",
                    "sample.pop"},
                   "view.png",
                   {},
                   problemOfPicture,
                   false,
                   2,
                   true});
#endif
    return all;
}

std::vector<std::string> kindsOfFaults() {
    std::vector<std::string> kinds{"open", "read", "write", "fsync", "rename"};
    // The sanitizer makes allocations of its own.
    if (!test::hasAddressSanitizer())
        kinds.push_back("allocate");
    return kinds;
}

class FaultsTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    fs::path folder_;
    std::mt19937_64 random_;
    long tried_ = 0;
    std::map<std::string, long> ends_; ///< how they ended

    /// The folder of a run, with its input and the file to be replaced.
    void prepare(const Scenario& scenario) const {
        const fs::path place = folder_ / "run";
        fs::remove_all(place);
        fs::create_directories((place / scenario.output).parent_path());
        fs::copy(folder_ / "job.json", place);
        fs::copy(folder_ / "sample.pop", place);
        writeFileAtomically(place / scenario.output, former);
    }

    /// Files that should not be there.
    QString leftovers(const Scenario& scenario) const {
        std::set<std::string> expected = scenario.besides;
        expected.insert({"job.json", "sample.pop", scenario.output, ".out", ".err", ".count"});
        for (const auto& entry : fs::recursive_directory_iterator(folder_ / "run")) {
            const std::string name = fs::relative(entry.path(), folder_ / "run").string();
            const bool inCache = name.starts_with("cache/") && !name.starts_with("cache/.");
            if (!expected.contains(name) && !inCache)
                return text(name);
        }
        return {};
    }

    /// The error in the way a run with a fault has ended.
    QString problem(const Scenario& scenario, const std::string& kind,
                    const FaultServer::Result& result) {
        const fs::path place = folder_ / "run";
        const QString errors = text(readFile(place / ".err"));
        const QString out = text(readFile(place / ".out"));
        if (WIFSIGNALED(result.status)) {
            const int signal = WTERMSIG(result.status);
            ++ends_[kind + " signal " + std::to_string(signal)];
            if (!scenario.librariesMayCrash || kind != "allocate" || signal == SIGALRM)
                return QString("ended by signal %1").arg(signal);
            const QString left = leftovers(scenario);
            return left.isEmpty() ? problemOfOutput(scenario) : "left over: " + left;
        }
        const int status = WEXITSTATUS(result.status);
        ++ends_[kind + " " + std::to_string(status)];
        if (errors.contains("internal error") || out.contains("internal error") ||
            out.contains("signal 6") || out.contains("signal 11") || errors.contains("leaked") ||
            errors.contains("Sanitizer"))
            return "a fault of ours: " + errors + out;
        if (const QString left = leftovers(scenario); !left.isEmpty())
            return "left over: " + left;
        const bool pointFailed = status == 1 && errors.contains("points failed");
        if (status != 0 && status != 2 && !pointFailed)
            return QString("status %1: %2").arg(status).arg(errors);
        if (status != 0 && !errors.contains("error: "))
            return "no message: " + errors;
        if (status == 0 && readFile(place / scenario.output) == former)
            return "success without an output";
        return problemOfOutput(scenario);
    }

    /// It is the former one or a complete new one: only printing the summary can fail after that.
    QString problemOfOutput(const Scenario& scenario) const {
        const fs::path output = folder_ / "run" / scenario.output;
        return readFile(output) == former ? QString() : scenario.problem(output);
    }

    std::vector<long> chosen(long calls, int samples) {
        std::vector<long> all;
        for (long n = 1; n <= calls; ++n)
            all.push_back(n);
        if (qEnvironmentVariable("TILESCOPE_FAULTS") == "all")
            return all;
        std::shuffle(all.begin(), all.end(), random_);
        all.resize(std::min<std::size_t>(all.size(), static_cast<std::size_t>(samples)));
        return all;
    }

private slots:
    void initTestCase() {
        const auto given = qEnvironmentVariable("TILESCOPE_FAULTS_SEED").toULongLong();
        const auto seed = given != 0 ? given : std::random_device()() + 1ULL;
        random_.seed(seed);
        qInfo("TILESCOPE_FAULTS_SEED=%llu", static_cast<unsigned long long>(seed));
        folder_ = directory_.path().toStdString();
        writeFileAtomically(folder_ / "job.json", tinyJob);
        writeProfile(sampleProfile(), folder_ / "sample.pop");
    }

    void faultsLeaveNothing_data() {
        QTest::addColumn<int>("scenario");
        QTest::addColumn<QString>("kind");
        const auto all = scenarios();
        for (std::size_t i = 0; i < all.size(); ++i)
            for (const std::string& kind : kindsOfFaults())
                QTest::addRow("%s %s", all[i].name, kind.c_str())
                    << static_cast<int>(i) << text(kind);
    }
    void faultsLeaveNothing() {
        QFETCH(int, scenario);
        QFETCH(QString, kind);
        const Scenario which = scenarios().at(static_cast<std::size_t>(scenario));
        const std::string name = (which.started ? "@" : "") + kind.toStdString();
        // Leaks of Qt when it cannot continue are not ours.
        if (which.librariesMayCrash)
            qputenv("ASAN_OPTIONS", "detect_leaks=0:intercept_tls_get_addr=0");
        FaultServer server(which.words);
        // The first run also creates files that later ones find next to their folder.
        for (int warm = 0; warm < 2; ++warm) {
            prepare(which);
            const FaultServer::Result whole = server.run(name, 0, folder_ / "run");
            QVERIFY2(whole.status == 0, readFile(folder_ / "run" / ".err").c_str());
        }
        prepare(which);
        long calls = server.run(name, 0, folder_ / "run").calls;
        if (which.started) {
            const std::string count = readFile(folder_ / "run" / ".count");
            QCOMPARE(count.size(), sizeof calls);
            std::memcpy(&calls, count.data(), sizeof calls);
        }
        QStringList problems;
        for (const long n : chosen(calls, which.samples)) {
            prepare(which);
            const QString wrong = problem(which, name, server.run(name, n, folder_ / "run"));
            ++tried_;
            if (!wrong.isEmpty())
                problems << QString("%1 %2: %3").arg(text(name)).arg(n).arg(wrong.trimmed());
        }
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join('\n')));
    }

    void cleanupTestCase() {
        qInfo("%ld points of failure tried", tried_);
        for (const auto& [end, count] : ends_)
            qInfo("%s: %ld", end.c_str(), count);
    }
};

TILESCOPE_TEST(FaultsTest, QCoreApplication)

} // namespace faults_test

#include "faults_test.moc"
