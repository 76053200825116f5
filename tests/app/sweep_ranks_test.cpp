// A sweep shared among MPI ranks: the same rows, and little is lost if a rank dies.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <csignal>

#include "core/base/error.h"
#include "core/sweep/sweep_store.h"
#include "tests/support/test_main.h"

namespace sweep_ranks_test {
using namespace tilescope;

namespace {

constexpr bool hasMpi = TILESCOPE_HAS_MPI;
const QString program = test::programPath("tilescope");
// Four tiles are too few for the model, and Mk1 has no 1472.
const QStringList grid{"mlp", "--vary", "target=mk1,mk2", "--vary", "tilesPerIpu=4,1216,1472"};

QStringList ranks(int count, const QStringList& arguments) {
    // Tests run with fewer cores than ranks, and as root in a build root.
    return QStringList{"--allow-run-as-root",  "--oversubscribe", "-n",
                       QString::number(count), program,           "sweep"} +
           arguments;
}

struct Result {
    int status = 0;
    QString out, err;
};

Result call(const QString& command, const QStringList& arguments) {
    QProcess process;
    process.start(command, arguments);
    process.waitForFinished(-1);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

/// Everything but the time that the simulation took.
std::vector<std::optional<PointResult>> rows(const char* file) {
    std::vector<std::optional<PointResult>> points = readSweep(file).points;
    for (auto& point : points)
        if (point)
            point->hostSeconds = 0;
    return points;
}

std::size_t countDone(const std::vector<std::optional<PointResult>>& points) {
    return static_cast<std::size_t>(std::count_if(
        points.begin(), points.end(), [](const auto& point) { return point.has_value(); }));
}

/// Completed points; none while the file is being created.
std::size_t doneSoFar(const char* file) {
    try {
        return countDone(readSweep(file).points);
    } catch (const UserError&) {
        return 0;
    }
}

std::vector<qint64> childrenOf(qint64 process) {
    QFile file(QStringLiteral("/proc/%1/task/%1/children").arg(process));
    std::vector<qint64> children;
    if (file.open(QIODevice::ReadOnly))
        for (const QString& id : QString::fromLatin1(file.readAll()).split(' ', Qt::SkipEmptyParts))
            children.push_back(id.toLongLong());
    return children;
}

/// The ranks below a launcher, which may start them through a daemon of its own.
std::vector<qint64> ranksBelow(qint64 process) {
    std::vector<qint64> found;
    for (const qint64 child : childrenOf(process)) {
        QFile name(QStringLiteral("/proc/%1/comm").arg(child));
        if (name.open(QIODevice::ReadOnly) && name.readAll().trimmed() == "tilescope")
            found.push_back(child);
        else
            for (const qint64 below : ranksBelow(child))
                found.push_back(below);
    }
    return found;
}

} // namespace

class SweepRanksTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    QString mpirun_;

private slots:
    void initTestCase() {
        if (hasMpi)
            mpirun_ = QStandardPaths::findExecutable("mpirun");
        QVERIFY(QDir::setCurrent(directory_.path()));
    }

    void init() {
        for (const char* name : {"one", "shared"})
            QDir(name).removeRecursively();
    }

    void ranksMakeTheRowsOfOneProcess() {
        if (mpirun_.isEmpty())
            QSKIP("left out: this build has no MPI, or there is no mpirun");
        const Result one = call(program, QStringList{"sweep", "-o", "one", "--json"} + grid);
        const Result shared = call(mpirun_, ranks(2, QStringList{"-o", "shared", "--json"} + grid));
        QCOMPARE(one.status, 1);
        QVERIFY2(shared.err.contains("1 of 6 points failed"), qPrintable(shared.err));
        QVERIFY(rows("one/sweep.db") == rows("shared/sweep.db"));
    }

    void ranksShareACache() {
        if (mpirun_.isEmpty())
            QSKIP("left out: this build has no MPI, or there is no mpirun");
        const QStringList cached = grid + QStringList{"--executable-cache", "cache"};
        static_cast<void>(call(mpirun_, ranks(2, QStringList{"-o", "one"} + cached)));
        const Result second = call(mpirun_, ranks(2, QStringList{"-o", "shared"} + cached));
        QVERIFY2(second.out.contains("had the programs of 5 of 6 simulated points"),
                 qPrintable(second.out + second.err));
        QVERIFY(rows("one/sweep.db") == rows("shared/sweep.db"));
    }

    void aLostRankLosesItsPointAtMost() {
        if (mpirun_.isEmpty())
            QSKIP("left out: this build has no MPI, or there is no mpirun");
        // Each point takes a tenth of a second or more, so that most are still to do when a rank is
        // lost.
        const std::size_t all = 40;
        const QStringList many{"resnet50", "--vary", "batchSize=1:40:1", "-o", "shared"};
        QProcess process;
        process.start(mpirun_, ranks(2, many));
        QVERIFY(process.waitForStarted());
        // A rank is killed once both are working and some points are done.
        std::vector<qint64> working;
        std::size_t done = 0;
        while ((working.size() < 2 || done < 4) && !process.waitForFinished(5)) {
            working = ranksBelow(process.processId());
            done = doneSoFar("shared/sweep.db");
        }
        QCOMPARE(process.state(), QProcess::Running);
        ::kill(static_cast<pid_t>(working.back()), SIGKILL);
        process.waitForFinished(-1);
        const auto before = rows("shared/sweep.db");
        const std::size_t kept = countDone(before);
        QVERIFY2(kept >= done && kept < all, qPrintable(QString::number(kept)));

        const Result rest = call(mpirun_, ranks(2, many));
        QCOMPARE(rest.status, 0);
        QVERIFY2(rest.err.contains(
                     QStringLiteral("%1 of %2 points are done already").arg(kept).arg(all)),
                 qPrintable(rest.err));
        const auto after = rows("shared/sweep.db");
        for (std::size_t i = 0; i < after.size(); ++i) {
            QVERIFY(after[i].has_value());
            QVERIFY(!before[i] || *before[i] == *after[i]);
        }
    }

    void refusalsEndAllRanks() {
        if (mpirun_.isEmpty())
            QSKIP("left out: this build has no MPI, or there is no mpirun");
        QCOMPARE(call(program, QStringList{"sweep", "-o", "shared", "mlp", "--vary", "batchSize=1"})
                     .status,
                 0);
        const Result other = call(mpirun_, ranks(2, QStringList{"-o", "shared"} + grid));
        QCOMPARE(other.status, 2);
        QVERIFY(other.err.contains("holds another sweep"));
    }

    // Processes unaware of each other would overwrite each other's results.
    void withoutMpiSeveralProcessesAreRefused() {
        if (hasMpi)
            return; // the launcher's ranks find each other
        qputenv("OMPI_COMM_WORLD_SIZE", "2");
        const Result result = call(program, QStringList{"sweep", "-o", "shared"} + grid);
        qunsetenv("OMPI_COMM_WORLD_SIZE");
        QCOMPARE(result.status, 2);
        QVERIFY(result.err.contains("this build has no MPI"));
        QVERIFY(!QFile::exists("shared"));
    }

    void slurmGetsAScript() {
        const Result result =
            call(program, QStringList{"sweep", "-o", "my out", "--slurm", "8"} + grid);
        QCOMPARE(result.status, 0);
        QVERIFY(result.out.startsWith("#!/bin/sh\n"));
        QVERIFY(result.out.contains("#SBATCH --ntasks=8\n"));
        QVERIFY(result.out.contains("#SBATCH --output='my out/slurm-%j.log'\n"));
        QVERIFY(result.out.endsWith(
            "srun --mpi=pmix tilescope sweep '--output=my out' --vary=target=mk1,mk2 "
            "--vary=tilesPerIpu=4,1216,1472 -- mlp\n"));
        QVERIFY(!QFile::exists("my out"));
        // A shell reads it.
        QProcess shell;
        shell.start("sh", {"-n"});
        shell.write(result.out.toUtf8());
        shell.closeWriteChannel();
        shell.waitForFinished(-1);
        QCOMPARE(shell.exitCode(), 0);
    }
};

TILESCOPE_TEST(SweepRanksTest, QCoreApplication)

} // namespace sweep_ranks_test

#include "sweep_ranks_test.moc"
