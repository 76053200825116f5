#include "core/analysis/accounting/placed_operations.h"

#include <QTest>
#include <algorithm>
#include <set>

#include "core/analysis/accounting/accounting.h"
#include "tests/support/sample_pipeline.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace placed_operations_test {
using namespace tilescope;
using namespace tilescope::test;

/// Operations with their programs and steps cover the program, each step once.
class PlacedOperationsTest : public QObject {
    Q_OBJECT

    static std::vector<Profile> profiles() { return {sampleProfile(), samplePipelineRun()}; }

private slots:
    void everyStepIsAnOperations() {
        for (const Profile& profile : profiles()) {
            const auto places = placedOperations(*ProfileView::of(profile));
            std::vector<bool> covered(profile.steps.size(), false);
            for (const PlacedOperation& place : places) {
                if (!place.firstStep.valid()) {
                    QVERIFY(place.programs.empty());
                    continue;
                }
                QVERIFY(place.firstStep <= place.lastStep);
                QVERIFY(std::is_sorted(place.programs.begin(), place.programs.end()));
                for (std::size_t i = place.firstStep.index(); i <= place.lastStep.index(); ++i)
                    if (std::binary_search(place.programs.begin(), place.programs.end(),
                                           profile.steps[StepId(i)]))
                        covered[i] = true;
                for (const StepId step : {place.firstStep, place.lastStep})
                    QVERIFY(std::binary_search(place.programs.begin(), place.programs.end(),
                                               profile.steps[step]));
            }
            QVERIFY(std::all_of(covered.begin(), covered.end(), [](bool is) { return is; }));
        }
    }

    void theyAreInTheOrderOfTheirFirstSteps() {
        for (const Profile& profile : profiles()) {
            const auto places = placedOperations(*ProfileView::of(profile));
            const auto end = std::find_if(places.begin(), places.end(), [](const auto& place) {
                return !place.firstStep.valid();
            });
            QVERIFY(std::is_sorted(places.begin(), end, [](const auto& a, const auto& b) {
                return a.firstStep < b.firstStep;
            }));
            QVERIFY(std::none_of(end, places.end(),
                                 [](const auto& place) { return place.firstStep.valid(); }));
        }
    }

    void aFunctionHasStepsAtEachOfItsPlaces() {
        // As the simulator records them: each call has an operation, which the places name.
        Profile profile = sampleProfile();
        std::vector<OperationId> calls;
        for (Program& program : profile.programs)
            if (program.kind == ProgramKind::Call) {
                Operation call;
                call.name = QStringLiteral("call%1").arg(calls.size()).toStdString();
                call.type = callType;
                calls.push_back(profile.operations.add(call));
                program.operation = calls.back();
            }
        // And its steps are in the order at each of its calls.
        std::vector<ProgramId> function;
        for (const ProgramId child : profile.programs[profile.functions.front()].children)
            function.push_back(child);
        profile.steps.truncate(profile.steps.size() - function.size());
        const IdVector<StepId, ProgramId> outside = profile.steps;
        profile.steps = {};
        for (const ProgramId step : outside) {
            profile.steps.add(step);
            if (profile.programs[step].name.starts_with("relu1"))
                for (std::size_t call = 0; call < calls.size(); ++call)
                    for (const ProgramId program : function)
                        profile.steps.add(program);
        }
        std::size_t next = 0;
        for (ModelNode& node : profile.modelGraph.nodes)
            if (node.name.ends_with("/conv"))
                node.calls = {calls.at(next++)};
        std::vector<PlacedOperation> convolutions;
        for (const PlacedOperation& place : placedOperations(*ProfileView::of(profile)))
            if (place.path.ends_with("/conv") && place.programs.size() > 2)
                convolutions.push_back(place);
        QCOMPARE(convolutions.size(), std::size_t{2});
        QCOMPARE(convolutions[0].path, std::string("layer1/conv"));
        QCOMPARE(convolutions[1].path, std::string("layer1/again/conv"));
        QVERIFY(convolutions[0].lastStep < convolutions[1].firstStep);
        QCOMPARE(convolutions[0].operation, convolutions[1].operation);
        QCOMPARE(convolutions[0].programs, convolutions[1].programs);
    }

    void theyHaveTheNamesOfTheAccounting() {
        for (const Profile& profile : {sampleProfile(), sampleProfile({.ipus = 2})}) {
            const auto view = ProfileView::of(profile);
            std::set<std::string> names;
            for (const PlacedOperation& place : placedOperations(*view))
                names.insert(place.path);
            const Accounting accounting = Accounting::make(*view);
            for (const CostPlace& place : accounting.places())
                if (place.operation.valid())
                    QVERIFY2(names.contains(place.path), place.path.c_str());
        }
    }
};

TILESCOPE_TEST(PlacedOperationsTest)

} // namespace placed_operations_test

#include "placed_operations_test.moc"
