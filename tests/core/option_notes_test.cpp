// What an option without effect says.
#include <QTest>

#include "core/options/option_notes.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace option_notes_test {
using namespace tilescope;
using namespace tilescope::test;

class OptionNotesTest : public QObject {
    Q_OBJECT

private slots:
    void saysWhatHasNoEffect_data() {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("note");
        const auto row = [](const char* options, const char* note) {
            QTest::newRow(options) << options << note;
        };
        row("mode=training accumulationType=half",
            "option accumulationType has no effect: with --gradient-accumulation 1 there is no "
            "accumulator");
        row("mode=training accumulationReduction=mean",
            "option accumulationReduction has no effect: with --gradient-accumulation 1 there is "
            "no accumulator");
        row("mode=training optimizerStateType=half",
            "option optimizerStateType has no effect: SGD without momentum keeps no state");
        row("execution=pipelined ipus=2 schedule=interleaved",
            "option schedule has no effect: without a backward pass, interleaved is the same as "
            "grouped");
        row("replicas=2 instances=2", "option instances has no effect: without --host-rate an "
                                      "instance prepares samples without limit");
        row("mode=training gradientAccumulation=2 accumulationType=half", "");
        row("mode=training optimizer=adam momentum=0.5",
            "option momentum has no effect: only --optimizer momentum, lars and rmsprop have a "
            "velocity");
        row("mode=training optimizer=lars beta2=0.99",
            "option beta2 has no effect: only --optimizer adam, adamw, lamb and rmsprop have a "
            "second moment");
        row("mode=training optimizer=rmsprop biasCorrection=off",
            "option biasCorrection has no effect: only --optimizer adam, adamw and lamb have a "
            "first moment");
        row("mode=training optimizer=adam nesterov=on",
            "option nesterov has no effect: only --optimizer momentum looks ahead by its velocity");
        row("mode=training optimizer=momentum centered=on",
            "option centered has no effect: only --optimizer rmsprop can divide by a deviation");
        row("mode=training optimizer=lamb amsgrad=on",
            "option amsgrad has no effect: only --optimizer adam and adamw can keep the largest "
            "second moment");
        row("mode=training optimizer=adam maxWeightNorm=2",
            "option maxWeightNorm has no effect: only --optimizer lamb has a trust ratio of norms "
            "that are bounded");
    }
    void saysWhatHasNoEffect() {
        QFETCH(QString, options);
        QFETCH(QString, note);
        RunOptions run;
        for (const QString& pair : options.split(' '))
            setRunOption(run, pair.section('=', 0, 0).toStdString(),
                         pair.section('=', 1).toStdString());
        validate(run);
        QString notes;
        for (const OptionNote& one : optionNotes(run))
            notes += text(one.text);
        QCOMPARE(notes, note);
    }
};

TILESCOPE_TEST(OptionNotesTest)

} // namespace option_notes_test

#include "option_notes_test.moc"
