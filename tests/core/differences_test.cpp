// Differences between two runs, from the metadata of their profiles.
#include "core/analysis/compare/differences.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"

#include <QTest>

#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace differences_test {
using namespace tilescope;
using namespace tilescope::test;

class DifferencesTest : public QObject {
    Q_OBJECT

private slots:
    void aProfileAndItselfDoNotDiffer() {
        const ProfileInfo info = sampleProfile().info;
        QVERIFY(optionChanges(info, info).empty());
        QVERIFY(leadingChanges(info, info).empty());
    }

    void whatMattersMostComesFirstAndOnce() {
        ProfileInfo source = sampleProfile().info;
        source.options = {{"alpha", "1"}, {"batchSize", "4"}, {"ipus", "1"}, {"same", "x"}};
        source.engineOptions = {};
        source.batchSize = 4;
        ProfileInfo target = source;
        target.options = {{"alpha", "2"},
                          {"batchSize", "8"},
                          {"engineOptions", "{}"},
                          {"ipus", "2"},
                          {"same", "x"}};
        target.engineOptions = {{"aEngine", "true"}};
        target.batchSize = 8;
        target.target.ipus = 2;
        const std::vector<OptionChange> expected{{"batch", "4", "8"},
                                                 {"IPUs", "1", "2"},
                                                 {"alpha", "1", "2"},
                                                 {"aEngine", "not set", "true"}};
        QVERIFY(leadingChanges(source, target) == expected);
        // The table of options has the options' own names.
        QCOMPARE(optionChanges(source, target).size(), std::size_t(5));
        QCOMPARE(optionChanges(source, target)[2].option, std::string("batchSize"));
    }

    /// An option that a run does not record has its default; without a default it was not set.
    void bothSidesAreSaid() {
        ProfileInfo source = sampleProfile().info;
        source.options = {};
        ProfileInfo target = source;
        target.options = {{"availableMemoryProportion", "0.3"}, {"precision", "half"}};
        const std::string usual = findOption("availableMemoryProportion")->defaultValue;
        QVERIFY(!usual.empty());
        const std::vector<OptionChange> expected{{"availableMemoryProportion", usual, "0.3"},
                                                 {"precision", "not set", "half"}};
        QVERIFY(optionChanges(source, target) == expected);
    }

    void otherModelsAndMachinesAreSaid() {
        const ProfileInfo source = sampleProfile().info;
        ProfileInfo target = source;
        target.model = "another";
        target.target.name = "mk1";
        target.target.tilesPerIpu = source.target.tilesPerIpu - 1;
        const std::vector<OptionChange> changes = leadingChanges(source, target);
        QCOMPARE(changes.size(), std::size_t(3));
        QCOMPARE(changes[0].option, std::string("model"));
        QCOMPARE(changes[1].option, std::string("target"));
        QCOMPARE(changes[2].option, std::string("tiles per IPU"));
    }
};

TILESCOPE_TEST(DifferencesTest)

} // namespace differences_test

#include "differences_test.moc"
