// The table of losses: names in both directions.
#include <QTest>
#include <set>

#include "core/options/loss_function.h"
#include "tests/support/test_main.h"

namespace loss_function_test {
using namespace tilescope;

class LossFunctionTest : public QObject {
    Q_OBJECT

private slots:
    void eachNameIsThatOfOneLoss() {
        std::set<std::string_view> different;
        for (const std::string_view name : lossFunctionNames()) {
            QVERIFY2(lossFunctionFrom(name).has_value(), std::string(name).c_str());
            different.insert(name);
        }
        QCOMPARE(different.size(), lossFunctionNames().size());
    }

    void theFirstNameIsTileScopes() {
        for (const std::string_view name : lossFunctionNames()) {
            const LossFunction loss = lossFunctionFrom(name).value();
            QCOMPARE(lossFunctionFrom(toString(loss)), std::optional(loss));
        }
        QVERIFY(toString(LossFunction::MeanSquaredError) == "mse");
    }

    void kerasNamesClassesAndFunctions() {
        for (const char* name : {"MeanAbsoluteError", "mean_absolute_error", "MAE"})
            QCOMPARE(lossFunctionFrom(name), std::optional(LossFunction::MeanAbsoluteError));
        QCOMPARE(lossFunctionFrom("SparseCategoricalCrossentropy"),
                 std::optional(LossFunction::CrossEntropy));
    }

    void othersAreUnknown() {
        for (const char* name : {"", "_", "hinge", "ms"})
            QVERIFY2(!lossFunctionFrom(name), name);
    }

    void scoresOfClasses() {
        using enum LossFunction;
        for (const LossFunction loss : {Automatic, CrossEntropy, CategoricalCrossEntropy})
            QVERIFY(sortsIntoClasses(loss));
        for (const LossFunction loss : {BinaryCrossEntropy, MeanSquaredError, MeanAbsoluteError})
            QVERIFY(!sortsIntoClasses(loss));
    }
};

TILESCOPE_TEST(LossFunctionTest)

} // namespace loss_function_test

#include "loss_function_test.moc"
