// Learning rate schedules match PyTorch's, and their texts are parsed and written.
#include <cmath>
#include <stdexcept>

#include <QtTest>

#include "core/options/learning_rate_schedule.h"
#include "learning_rate_reference.h"
#include "tests/support/test_main.h"

namespace learning_rate_schedule_test {
using namespace tilescope;
using namespace tilescope::test;

class LearningRateScheduleTest : public QObject {
    Q_OBJECT

private slots:
    void asPyTorch_data() {
        QTest::addColumn<QString>("text");
        for (const auto& [text, rates] : learningRateReference())
            QTest::newRow(text.c_str()) << QString::fromStdString(text);
    }
    void asPyTorch() {
        QFETCH(QString, text);
        const LearningRateSchedule schedule = learningRateScheduleFrom(text.toStdString());
        QCOMPARE(toString(schedule), text.toStdString());
        const std::vector<double>& wanted = learningRateReference().at(text.toStdString());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const double got = schedule.factor(static_cast<std::int64_t>(i),
                                               static_cast<std::int64_t>(wanted.size()));
            QVERIFY2(std::fabs(got - wanted[i]) < 1e-8,
                     qPrintable(QString("update %1: %2 is not %3").arg(i).arg(got).arg(wanted[i])));
        }
    }

    void wrongTextsAreRefused_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const QString forms = " is not a schedule; choose constant, step:N:F, cosine or linear, "
                              "each also after warmup:N and a comma";
        const auto row = [](const char* text, const QString& message) {
            QTest::newRow(text) << text << message;
        };
        row("", "''" + forms);
        row("exponential", "'exponential'" + forms);
        row("step:5", "'step:5'" + forms);
        row("step:0:0.5", "'0' is not a number of updates from 1 to 1000000000");
        row("step:x:0.5", "'x' is not a number of updates from 1 to 1000000000");
        row("step:5:1.5", "'1.5' is not a factor above 0 and up to 1");
        row("step:5:nan", "'nan' is not a factor above 0 and up to 1");
        row("warmup:-1", "'-1' is not a number of updates from 1 to 1000000000");
        row("warmup:5,warmup:5", "'warmup:5'" + forms);
        row("cosine,linear", "'cosine,linear'" + forms);
        row("warmup:5,cosine,linear", "'warmup:5,cosine,linear'" + forms);
    }
    void wrongTextsAreRefused() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        try {
            learningRateScheduleFrom(text.toStdString());
            QFAIL("was read");
        } catch (const std::invalid_argument& error) {
            QCOMPARE(QString(error.what()), message);
        }
    }
};

TILESCOPE_TEST(LearningRateScheduleTest)

} // namespace learning_rate_schedule_test

#include "learning_rate_schedule_test.moc"
