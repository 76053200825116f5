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
        const Result result = op((conv + "--stri 1 --batch 2 --kernel 3").split(' '));
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains("'--kernel' is ambiguous: --kernel-dilation, "
                                     "--kernel-padding") &&
                     result.err.contains("; write one of them"),
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
        QCOMPARE(result.err.count("--cell-order without effect"), qsizetype(1));
        QCOMPARE(result.err.count("--ignore-data without effect"), qsizetype(1));
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
        const QString octave = QStringLiteral("oct_conv_layer --field 28,28 --kernel-size 3 "
                                              "--padding 1 --input-channels 64 "
                                              "--output-channels 64 ");
        const QString quarter = octave + "--alpha 0.25 ";
        const QJsonObject together = json(quarter + "--plan-type parallel");
        QCOMPARE(together["plans"].toArray().size(), qsizetype(12));
        QVERIFY(together["cycles"].toInteger() <
                json(quarter + "--plan-type serial")["cycles"].toInteger());
        QVERIFY(json(quarter + "--options {\"planType\":\"serial\"}") ==
                json(quarter + "--plan-type serial"));
        QVERIFY(json(QString(quarter).replace("oct_conv_layer", "octave_conv").trimmed()) ==
                together);
        // Each pass has the four convolutions; with one frequency on a side there are two.
        for (const char* pass : {"fwd", "bwd", "wu"})
            QCOMPARE(json(quarter + "--single-phase " + pass)["plans"].toArray().size(),
                     qsizetype(4));
        QCOMPARE(json(octave + "--alpha-in 0.25 --alpha-out 0")["plans"].toArray().size(),
                 qsizetype(6));
        const QJsonObject strided = json(quarter + "--stride 2");
        QVERIFY(strided["cycles"].toInteger() > 0);
        QVERIFY(strided["cycles"].toInteger() < together["cycles"].toInteger());
        const auto refused = [](const QString& words) {
            const Result result = op(words.split(' '));
            return result.status == 2 ? result.err : QString();
        };
        QVERIFY(refused(octave + "--alpha 2").contains("from 0 to 1"));
        QVERIFY(refused(quarter + "--padding-lower 2").contains("do not match"));
        QVERIFY(refused("oct_conv_layer --field 27,28 --input-channels 64 --output-channels 64 "
                        "--alpha 0.5")
                    .contains("has no half"));
    }

    // Options that mean nothing here are accepted and said; nothing else comes of them.
    void optionsWithoutEffect() {
        const QString whole = conv + "--kernel-size 3 --padding 1";
        const Result plain = op(whole.split(' '));
        const Result given = op((whole + " --profile --ignore-data --device-type IpuModel2 "
                                         "--report-plan true --fwd-plan-constraints {} "
                                         "--tolerance=0.1 --preplan 1")
                                    .split(' '));
        QCOMPARE(given.status, 0);
        QCOMPARE(given.out, plain.out);
        QVERIFY(plain.err.isEmpty());
        for (const char* name : {"--profile", "--ignore-data", "--device-type", "--report-plan",
                                 "--fwd-plan-constraints", "--tolerance", "--preplan"})
            QCOMPARE(given.err.count(name), qsizetype(1));
        QVERIFY2(given.err.contains("without effect: no values are computed"),
                 qPrintable(given.err));
        for (const char* words :
             {"ctc_loss --out-type half --disable-always-satisfiable-error --min-time 3 --verbose",
              "ctc_beam_search --seed 4 --plan-constraints {} --verbosity-level 2",
              "general_matrix_multiply --m 64 --k 64 --n 64 --alpha 2 --report-plan",
              "reduce_op --shape=64,64 --dims=0 --withoutput true --computesetapi 1",
              "embedding_layer --shape 100,16 --num-indices 10 --profile true --scale 2",
              "fully_connected_layer --input-size 64 --output-size 64 --in-place-update false"})
            QCOMPARE(op(QString(words).split(' ')).status, 0);
        QCOMPARE(op((whole + " --profiles").split(' ')).status, 2);
    }

    // What truncation and padding leave out is the convolution of a smaller field or kernel.
    void truncatedConvolutions() {
        const auto of = [](const char* field, const QString& words) {
            return json(QStringLiteral("single_conv_layer --field ") + field +
                        " --input-channels 32 --output-channels 32 " + words);
        };
        const QJsonObject plain = of("14,14", "--kernel-size 3 --padding 1");
        QVERIFY(of("16,16", "--truncation 1 --kernel-size 3 --padding 1") == plain);
        QVERIFY(of("14,14", "--kernel-size 5 --kernel-truncation 1 --padding 1") == plain);
        QVERIFY(of("14,14", "--kernel-size 3 --kernel-padding 1 --padding 2") == plain);
        QVERIFY(of("14,14", "--kernel-size 3 --padding 3 --output-truncation 2") == plain);
        QVERIFY(of("14,14", "--kernel-size 3 --padding 1 --output-truncation-upper 3") ==
                of("12,12", "--kernel-size 3 --padding-lower 1 --padding-upper 0"));
        QCOMPARE(op({"single_conv_layer", "--field", "4,4", "--truncation", "2", "--input-channels",
                     "4", "--output-channels", "4"})
                     .status,
                 2);
    }

    // Zeros between the elements of an input: the passes of a strided convolution, exchanged.
    void dilatedInputs() {
        const auto of = [](const QString& words) {
            return json("single_conv_layer --batch-size 4 --bias 0 --input-channels 32 "
                        "--output-channels 32 --kernel-size 3 " +
                        words);
        };
        const auto cycles = [&](const QString& words) { return of(words)["cycles"].toInteger(); };
        QVERIFY(cycles("--field 14,14 --in-dilation 2 --padding 1") > 0);
        QVERIFY(cycles("--field 14,14 --in-dilation 2 --padding 1") <
                cycles("--field 27,27 --padding 1"));
        QCOMPARE(of("--field 14,14 --in-dilation 2 --padding 1")["plans"].toArray().size(),
                 qsizetype(3));
        QCOMPARE(op((conv + "--kernel-size 3 --in-dilation 2 --stride 2").split(' ')).status, 2);
    }

    // Each pass alone, and all of them.
    void singlePhases() {
        for (const QString& layer :
             {conv + "--kernel-size 3 --padding 1 --bias 0",
              QStringLiteral("fully_connected_layer --batch-size 16 --input-size 64 "
                             "--output-size 96 --bias 0")})
            for (const char* phase : {"fwd", "bwd", "wu"})
                QCOMPARE(json(layer + " --single-phase " + phase)["plans"].toArray().size(),
                         qsizetype(1));
        const QString rows = QStringLiteral("embedding_layer --shape 1000,64 --num-indices ");
        QVERIFY(json(rows + "40 --pass fwd")["cycles"].toInteger() <
                json(rows + "40")["cycles"].toInteger());
        QVERIFY(json(rows + "40 --pass fwd")["cycles"].toInteger() <
                json(rows + "{40,40} --pass fwd")["cycles"].toInteger());
    }

    void productsOfGroupsAndTransposes() {
        const QString product = QStringLiteral("general_matrix_multiply --m 64 --k 128 --n 256 ");
        QVERIFY(json(product + "--g 8")["totalMemory"].toInteger() >
                json(product)["totalMemory"].toInteger());
        QVERIFY(json(product + "--right-matrix-op transpose")["cycles"].toInteger() > 0);
        QVERIFY(json(product + "--left-matrix-op transpose")["cycles"].toInteger() > 0);
        QCOMPARE(op((product + "--beta 2").split(' ')).status, 2);
    }

    // A convolution as PopLibs' multi_conv_layer has it: the members of ConvParams as JSON.
    void convolutionsAsJson() {
        const QString part =
            QStringLiteral("--conv {\"inputFieldShape\":[14,14],\"kernelShape\":[3,3],"
                           "\"inputChannelsPerConvGroup\":64,\"outputChannelsPerConvGroup\":%1,"
                           "\"inputTransform\":{\"paddingLower\":[1,1],\"paddingUpper\":[1,1]}}");
        const QJsonObject forward = json("multi_conv_layer " + part.arg(64) + ' ' + part.arg(32));
        QVERIFY(forward == json("multi_conv --field 14,14 --kernel-size 3 --padding 1 "
                                "--input-channels 64 --output-channels 64;32 "
                                "--single-phase fwd"));
        QVERIFY(json("multi_conv_layer --bwd true " + part.arg(64) + ' ' + part.arg(32)) !=
                forward);
        QCOMPARE(op({"multi_conv_layer", "--conv", "[]"}).status, 2);
        QCOMPARE(op({"multi_conv_layer"}).status, 2);
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

    /// Operands lie in the channel groups that are given, by default in groups of 16.
    void poolingTakesChannelGroups() {
        const QString pool = QStringLiteral("pooling_layer --field {28,28} --kernel-size 3 "
                                            "--stride 2 --channels 64");
        const QJsonObject groups = json(pool);
        QVERIFY(json(pool + " --fwd-chans-per-group 16 --bwd-chans-per-group 16") == groups);
        QVERIFY(json(pool + " --fwd-chans-per-group 1")["cycles"].toInteger() >
                groups["cycles"].toInteger());
        const Result odd = op((pool + " --bwd-chans-per-group 7").split(' '));
        QCOMPARE(odd.status, 2);
        QVERIFY2(odd.err.contains("64 channels are not whole groups of 7"), qPrintable(odd.err));
        QCOMPARE(op((pool + " --pooling-type median").split(' ')).status, 2);
        QVERIFY(json(pool + " --optimize-for-speed true --use-introspection false") == groups);
    }
};

TILESCOPE_TEST(OpTest)

} // namespace op_test

#include "op_test.moc"
