#include "core/view/thing.h"

#include <QTest>
#include <set>

#include "core/view/profile_view.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace thing_test {
using namespace tilescope;

/// The registry of kinds of things, and sets of them.
class ThingTest : public QObject {
    Q_OBJECT

    static QString text(std::string_view text) {
        return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    }
    static QStringList placesIn(const Things& things, bool hasExecution) {
        ProfileInfo info;
        info.hasExecution = hasExecution;
        QStringList places;
        for (const std::string_view place : placesOf(things, info))
            places << text(place);
        return places;
    }

private slots:
    void eachKindIsItsOwn() {
        std::set<std::string_view> names;
        for (std::size_t i = 0; i < thingKinds().size(); ++i) {
            const ThingKind& kind = thingKinds()[i];
            names.insert(kind.name);
            const Thing thing = kind.thing(3);
            QCOMPARE(thing.index(), i);
            QCOMPARE(&kindOf(thing), &kind);
            QCOMPARE(std::visit([](auto id) { return id.value(); }, thing), 3);
        }
        QCOMPARE(names.size(), std::variant_size_v<Thing>);
    }

    void namesAreThoseOfTheProfile() {
        const Profile profile = test::sampleProfile({.ipus = 2, .withValues = true});
        const auto view = ProfileView::of(profile);
        const auto names = [&](const Thing& thing) { return kindOf(thing).names(*view, {}); };
        QCOMPARE(names(IpuId()).count, std::size_t{2});
        QCOMPARE(names(TileId()).count, std::size_t{2 * 1472});
        QVERIFY(!names(TileId()).name && !names(TileId()).find("0"));
        QCOMPARE(names(VertexTypeId()).count, profile.vertexTypes.size());
        QCOMPARE(names(ExchangeId()).count, profile.exchanges.size());
        QCOMPARE(names(ComputeSetId()).count, profile.computeSets.size());
        QCOMPARE(names(VariableId()).count, profile.variables.size());
        QCOMPARE(text(names(OperationId()).name(2)), "layer1/conv");
        QCOMPARE(names(OperationId()).find("relu1"), std::optional<std::size_t>(1));
        QVERIFY(!names(OperationId()).find("relu9"));
        QCOMPARE(text(names(ValueTensorId()).name(1)), "relu1");
        const ThingNames steps = names(StepId());
        QCOMPARE(steps.count, profile.steps.size());
        for (std::size_t step = 0; step < steps.count; ++step)
            QCOMPARE(text(steps.name(step)),
                     text(names(ProgramId()).name(profile.steps[StepId(step)].index())));
    }

    void aSetHasEveryKind() {
        Things things;
        for (const ThingKind& kind : thingKinds())
            things.add(kind.thing(5));
        QCOMPARE(things.all().size(), std::variant_size_v<Thing>);
        QCOMPARE(things.ipu, IpuId(5));
        QCOMPARE(things.tensor, ValueTensorId(5));
        things.add(OperationId(6));
        things.add(OperationId());
        things.add(TileId(2));
        QCOMPARE(things.operation, OperationId(6));
        QCOMPARE(things.tiles, (std::vector{TileId(5), TileId(2)}));
        QCOMPARE(things.tile(), TileId(5));
        QVERIFY(Things().all().empty() && !Things().tile().valid());
        QVERIFY(Things(OperationId()) == Things());
    }

    void thoseTakenReplaceTheirKinds() {
        Things things(OperationId(1));
        things.tiles = {TileId(1), TileId(2)};
        Things others(VariableId(3));
        things.take(others);
        QCOMPARE(things.operation, OperationId(1));
        QCOMPARE(things.variable, VariableId(3));
        QCOMPARE(things.tiles.size(), std::size_t{2});
        others.tiles = {TileId(7), TileId(8)};
        things.take(others);
        QCOMPARE(things.tiles, others.tiles);
    }

    void theUsualPlaceIsFirst() {
        Things step(ProgramId(1));
        step.add(OperationId(2));
        step.add(ComputeSetId(3));
        step.add(ExchangeId(4));
        const QStringList places{
            "trace",           "programs", "operations", "operations:Graph", "memory:Compute sets",
            "memory:Exchanges"};
        QCOMPARE(placesIn(step, true), places);
        QCOMPARE(placesIn(step, false), places.mid(1));
        QCOMPARE(placesIn(Things(VariableId(1)), true),
                 (QStringList{"memory:Variables", "liveness"}));
        QVERIFY(placesIn(Things(IpuId(0)), true).isEmpty());
    }
};

TILESCOPE_TEST(ThingTest)

} // namespace thing_test

#include "thing_test.moc"
