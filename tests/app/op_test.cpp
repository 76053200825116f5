// `tilescope op`: single operations with the arguments of the PopLibs tools.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <sstream>

#include "app/cli/commands/cli.h"
#include "core/store/profile_reader.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace op_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Result {
    int status = 0;
    QString out, err;
};

Result op(const QStringList& words) {
    std::vector<std::string> arguments{"op"};
    for (const QString& word : words)
        arguments.push_back(word.toStdString());
    std::ostringstream out;
    std::ostringstream err;
    const int status = cli::runCli(arguments, {out, err});
    return {status, text(out.str()), text(err.str())};
}

QJsonObject json(const QString& words) {
    const Result result = op((words + QStringLiteral(" --json")).split(' '));
    return QJsonDocument::fromJson(result.out.toUtf8()).object();
}

const QString conv = QStringLiteral("single_conv_layer --field {14,14} --input-channels 32 "
                                    "--output-channels 32 --batch-size 2 ");

} // namespace

class OpTest : public QObject {
    Q_OBJECT

private slots:
    void beginningsOfOptionsAreEnough() {
        const QJsonObject whole = json(conv + "--kernel-size 3 --padding 1 --stride 1");
        QVERIFY(whole["cycles"].toInteger() > 0);
        QVERIFY(json(conv + "--kernel-s 3 --padding 1 --str 1") == whole);
        QVERIFY(json(conv + "--kernel-s=3 --padding=1") == whole);
    }

    void beginningsOfSeveralOptionsAreRefused() {
        const Result result = op((conv + "--kernel 3").split(' '));
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains("'--kernel' is ambiguous: --kernel-dilation, "
                                     "--kernel-size; write one of them"),
                 qPrintable(result.err));
    }

    void paddingOfOneSide() {
        const QJsonObject both = json(conv + "--kernel-size 3 --padding 1");
        QVERIFY(json(conv + "--kernel-size 3 --padding-lower 1 --padding-upper 1") == both);
        QVERIFY(json(conv + "--kernel-size 3 --padding-lower 1") != both);
    }

    void optionsWithoutMeaningAreSaid() {
        const QString lstm = QStringLiteral("lstm_layer --sequence-size 3 --input-size 32 "
                                            "--output-size 32 ");
        const QJsonObject plain = json(lstm + "--ignore-input-gradient true --phase bwd");
        QVERIFY(plain["cycles"].toInteger() > 0);
        const Result result = op((lstm + "--ignore-input-gradient --phase bwd --ignore-data "
                                         "--cell-order {input,output,forget,cell} --json")
                                     .split(' '));
        QCOMPARE(result.status, 0);
        QVERIFY(QJsonDocument::fromJson(result.out.toUtf8()).object() == plain);
        QCOMPARE(result.err.count("not simulated, and ignored"), qsizetype(1));
        QVERIFY2(result.err.contains("--cell-order"), qPrintable(result.err));
        QVERIFY2(result.err.contains("--ignore-data"), qPrintable(result.err));
    }

    // The planner's bound is for one pass; the tool runs three, and results of two programs remain.
    void passesAddUp() {
        const QJsonObject forward = json(conv + "--kernel-size 3 --padding 1 --inference-only");
        const QJsonObject all = json(conv + "--kernel-size 3 --padding 1");
        QCOMPARE(forward["plans"].toArray().size(), qsizetype(1));
        QCOMPARE(all["plans"].toArray().size(), qsizetype(3));
        QVERIFY(all["cycles"].toInteger() > 2 * forward["cycles"].toInteger());
        QVERIFY(all["totalMemory"].toInteger() > forward["totalMemory"].toInteger());
    }

    /// Three convolutions, each pass of all of them at the same time on separate tiles.
    void convolutionsTogether() {
        const QString convs = QStringLiteral(
            "multi_conv --field 28,28;14,14;14,14 --kernel-size 3 --padding 1 --input-channels 64 "
            "--output-channels 64;64;32 --plan-type ");
        const QJsonObject together = json(convs + "parallel");
        const QJsonArray plans = together["plans"].toArray();
        QCOMPARE(plans.size(), qsizetype(9));
        for (qsizetype pass = 0; pass < 3; ++pass) {
            std::vector<std::pair<qint64, qint64>> taken;
            for (qsizetype i = 3 * pass; i < 3 * pass + 3; ++i) {
                const QJsonObject plan = plans[i].toObject();
                QVERIFY(plan.contains("firstTile"));
                taken.emplace_back(plan["firstTile"].toInteger(), plan["tiles"].toInteger());
            }
            std::sort(taken.begin(), taken.end());
            for (std::size_t i = 1; i < taken.size(); ++i)
                QVERIFY(taken[i - 1].first + taken[i - 1].second <= taken[i].first);
        }
        QVERIFY(together["cycles"].toInteger() < json(convs + "serial")["cycles"].toInteger());
        const QString explained = op((convs + "parallel --explain").split(' ')).out;
        QVERIFY2(explained.contains("parallel from tile"), qPrintable(explained));
        const Result one = op(QStringList{"multi_conv", "--field", "14,14", "--kernel-size", "1",
                                          "--input-channels", "8", "--output-channels", "8"});
        QCOMPARE(one.status, 2);
        QVERIFY2(one.err.contains("separate the values of several with ';'"), qPrintable(one.err));
        QCOMPARE(op((convs + "sideways").split(' ')).status, 2);
        QCOMPARE(op((convs + "serial --stride 1;2").split(' ')).status, 2);
        QCOMPARE(op((convs + "serial --cycle-back-off 2").split(' ')).status, 2);
    }

    void octaveConvolutions() {
        const QString octave =
            QStringLiteral("octave_conv --field 28,28 --input-channels 64 --output-channels 64 ");
        const QJsonObject together = json(octave + "--plan-type parallel");
        QCOMPARE(together["plans"].toArray().size(), qsizetype(4));
        QVERIFY(together["cycles"].toInteger() <
                json(octave + "--plan-type serial")["cycles"].toInteger());
        const auto refused = [](const QString& words) {
            const Result result = op(words.split(' '));
            return result.status == 2 ? result.err : QString();
        };
        QVERIFY(refused(octave + "--alpha 1").contains("without channels"));
        QVERIFY(refused(octave + "--kernel-size 2").contains("is even"));
        QVERIFY(refused("octave_conv --field 27,28 --input-channels 64 --output-channels 64")
                    .contains("has no half"));
    }

    void recurrentLayersRunTheirPhases() {
        const QString layer = QStringLiteral("lstm_layer --sequence-size 20 --input-size 64 "
                                             "--output-size 64 --batch-size 4 ");
        const auto cycles = [&](const char* phase) {
            return json(layer + "--phase " + phase)["cycles"].toInteger();
        };
        QCOMPARE(json(layer.trimmed())["cycles"].toInteger(), cycles("fwd"));
        QVERIFY(cycles("fwd") < cycles("bwd"));
        QVERIFY(cycles("bwd") < cycles("all"));
        QCOMPARE(cycles("wu"), cycles("all"));
        QCOMPARE(json(layer + "--phase all --inference-only")["cycles"].toInteger(), cycles("fwd"));
        const Result wrong = op((layer + "--phase up").split(' '));
        QCOMPARE(wrong.status, 2);
        QVERIFY2(wrong.err.contains("--phase: 'up' is not one of all, fwd, bwd, wu"),
                 qPrintable(wrong.err));
    }

    void lossOfSequences() {
        const QString loss = QStringLiteral("ctc_loss --batch 2 --max-time 60 "
                                            "--max-label-length 12 --num-classes 16");
        QVERIFY(json(loss)["cycles"].toInteger() > 0);
        // Without logits there is no softmax to take.
        QVERIFY(json(loss + " --logit-inputs false") != json(loss));
        QCOMPARE(op({"ctc_loss", "--max-time", "4", "--max-label-length", "5"}).status, 2);
        QCOMPARE(op({"ctc_beam_search", "--beamwidth", "2", "--top-paths", "3"}).status, 2);
        QVERIFY(json("ctc_beam_search --max-time 40 --num-classes 30")["cycles"].toInteger() > 0);
    }

    // A group is a convolution of its own: as many channels in one group are more work.
    void depthwiseConvolutions() {
        const QString field = QStringLiteral("single_conv_layer --field {14,14} --batch-size 4 "
                                             "--kernel-size 3 --padding 1 ");
        const QJsonObject depthwise =
            json(field + "--conv-groups 128 --input-channels 1 --output-channels 1");
        const QJsonObject dense = json(field + "--input-channels 128 --output-channels 128");
        QVERIFY(depthwise["cycles"].toInteger() > 0);
        QVERIFY(depthwise["cycles"].toInteger() < dense["cycles"].toInteger());
        QVERIFY(depthwise["totalMemory"].toInteger() < dense["totalMemory"].toInteger());
    }

    // Only tools with a bias in their layers take one, and it adds work in both directions.
    void biases() {
        for (const QString& layer :
             {conv + "--kernel-size 3 --padding 1",
              QStringLiteral("fully_connected_layer --batch-size 16 --input-size 64 "
                             "--output-size 96"),
              QStringLiteral("fully_connected_layer --batch-size 16 --input-size 64 "
                             "--output-size 96 --num-groups 3")}) {
            const auto more = [&](const QString& words) {
                return json(layer + words)["cycles"].toInteger() -
                       json(layer + words + " --bias 0")["cycles"].toInteger();
            };
            QVERIFY(more(" --inference-only") > 0);
            QVERIFY(more("") > more(" --inference-only"));
            QVERIFY(json(layer + " --bias 1") == json(layer));
        }
        QCOMPARE(op({"lstm_layer", "--bias", "0"}).status, 2);
        QCOMPARE(op({"reduce_op", "--shape=4,4", "--dims=0", "--bias", "0"}).status, 2);
    }

    // The printed figures are those of the profile.
    void theProfileHasTheSameCycles() {
        const QTemporaryDir folder;
        const QJsonObject printed = json(conv + "--kernel-size 3 --padding 1 -o " + folder.path());
        QVERIFY(printed["cycles"].toInteger() > 0);
        const ProfileReader profile((folder.path() + "/profile.pop").toStdString());
        QCOMPARE(profile.info().cycles, std::int64_t(printed["cycles"].toInteger()));
    }

    void poolingHasABackwardPass() {
        const QString pool = QStringLiteral("pooling_layer --field {28,28} --kernel-size 3 "
                                            "--stride 2 --channels 64 --batch-size 2 ");
        for (const char* type : {"max", "avg"}) {
            const QString one = pool + "--pooling-type " + type;
            const auto forward = json(one + " --inference-only")["cycles"].toInteger();
            QVERIFY(forward > 0);
            QVERIFY(json(one)["cycles"].toInteger() > forward);
        }
    }
};

TILESCOPE_TEST(OpTest)

} // namespace op_test

#include "op_test.moc"
