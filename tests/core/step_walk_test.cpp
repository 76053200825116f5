#include "core/trace/step_walk.h"

#include <QTemporaryDir>
#include <QTest>

#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/trace/trace_pages.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_pipeline.h"
#include "tests/support/sample_profile.h"
#include "tests/support/scale_profile.h"
#include "tests/support/test_main.h"

namespace step_walk_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

/// A long trace on several IPUs, which its file has in pages.
Profile longProfile() {
    ScaleOptions options;
    options.steps = shortestPagedTrace;
    options.ipus = 3;
    options.variables = 60;
    options.tilesPerIpu = 16;
    return scaleProfile(options);
}

TraceIndex indexOf(const Profile& profile) {
    const Target& target = profile.info.target;
    return TraceIndex(profile.trace, target.ipus, target.tilesPerIpu);
}

/// A line for the first step of a walk that is not the index's, or the empty text.
QString differenceOf(const TraceIndex& index, std::int64_t first, std::int64_t end,
                     std::size_t atMost) {
    StepWalk walk(index, first, end);
    StepBatch batch;
    std::int64_t at = first;
    while (walk.next(batch, atMost)) {
        if (batch.steps.size() > atMost)
            return QStringLiteral("a batch is too large");
        for (const StepBatch::Step& step : batch.steps) {
            const ExecutedStep wanted = index.stepAt(at);
            if (step.index != at || step.run != wanted.run || step.kind != wanted.kind ||
                step.program != wanted.program)
                return QStringLiteral("step %1 is another").arg(at);
            if (step.endIpu - step.firstIpu != wanted.ipus.size())
                return QStringLiteral("step %1 has other IPUs").arg(at);
            for (std::size_t i = 0; i < wanted.ipus.size(); ++i) {
                const StepOnIpu& got = batch.ipus[step.firstIpu + i];
                const StepOnIpu& on = wanted.ipus[i];
                if (got.ipu != on.ipu || got.start != on.start || got.cycles != on.cycles ||
                    got.activeTiles != on.activeTiles || got.bytesIn != on.bytesIn)
                    return QStringLiteral("step %1 has other times").arg(at);
            }
            ++at;
        }
    }
    return at == end ? QString() : QStringLiteral("ends at %1, not %2").arg(at).arg(end);
}

} // namespace

/// Iterating over an execution visits every step of the index, with its times.
class StepWalkTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    const std::string file_ = folder_.filePath(QStringLiteral("long.pop")).toStdString();

private slots:
    void initTestCase() { writeProfile(longProfile(), file_); }

    void meetsEveryStep_data() {
        QTest::addColumn<int>("atMost");
        for (const int atMost : {1, 7, 1000})
            QTest::newRow(qPrintable(QString::number(atMost))) << atMost;
    }
    void meetsEveryStep() {
        QFETCH(int, atMost);
        const TraceIndex index = indexOf(sampleProfile());
        QVERIFY(index.stepCount() > 10);
        for (std::int64_t first = 0; first < index.stepCount(); ++first)
            QCOMPARE(
                differenceOf(index, first, index.stepCount(), static_cast<std::size_t>(atMost)),
                QString());
        QCOMPARE(differenceOf(index, 3, 9, static_cast<std::size_t>(atMost)), QString());
    }

    void meetsEveryStepOfALongTrace() {
        const TraceIndex index = ProfileReader(file_).traceIndex();
        QVERIFY(index.lanes().inPages());
        const std::int64_t steps = index.stepCount();
        const std::int64_t middle = steps / 2;
        QCOMPARE(differenceOf(index, 0, 9000, 1000), QString());
        QCOMPARE(differenceOf(index, middle - 50, middle + 5000, 700), QString());
        QCOMPARE(differenceOf(index, steps - 5000, steps, 1), QString());
    }

    void stepsThatAreNotThereAreLeftOut() {
        const TraceIndex index = indexOf(sampleProfile());
        StepBatch batch;
        QVERIFY(!StepWalk(index, index.stepCount(), index.stepCount() + 5).next(batch, 10));
        QVERIFY(!StepWalk(index, 5, 5).next(batch, 10));
        StepWalk last(index, index.stepCount() - 1, index.stepCount() + 100);
        QVERIFY(last.next(batch, 10));
        QCOMPARE(batch.steps.size(), std::size_t{1});
    }

    void damageIsSaid_data() {
        QTest::addColumn<QString>("sql");
        QTest::newRow("lacking") << "DELETE FROM trace_steps WHERE position = 5";
        QTest::newRow("kind") << "UPDATE trace_steps SET type = 'Nothing' WHERE position = 5";
        QTest::newRow("program") << "UPDATE trace_steps SET program = 1000000 WHERE position = 5";
        QTest::newRow("ipu") << "UPDATE trace_step_ipus SET ipu = 77 WHERE position = 5";
        QTest::newRow("time") << "UPDATE trace_step_ipus SET start = -1 WHERE position = 5";
        QTest::newRow("times alone") << "DELETE FROM trace_steps WHERE position = 5 AND body = "
                                        "(SELECT body FROM trace_step_ipus WHERE position = 5)";
    }
    void damageIsSaid() {
        QFETCH(QString, sql);
        const QString copy = folder_.filePath(QStringLiteral("damaged.pop"));
        QFile::remove(copy);
        QVERIFY(QFile::copy(QString::fromStdString(file_), copy));
        QCOMPARE(text(changeProfile(copy.toStdString(), sql.toUtf8().constData())), "");
        const TraceIndex index = ProfileReader(copy.toStdString()).traceIndex();
        StepBatch batch;
        const auto walk = [&] {
            StepWalk all(index, 0, index.stepCount());
            while (all.next(batch, 1000)) {
            }
        };
        QVERIFY_EXCEPTION_THROWN(walk(), UserError);
    }
};

TILESCOPE_TEST(StepWalkTest)

} // namespace step_walk_test

#include "step_walk_test.moc"
