// Values of a run as summaries, heat maps, comparisons and insights.
#include <QTest>
#include <cmath>

#include "core/analysis/insights/insights.h"
#include "core/analysis/values/compared_values.h"
#include "core/analysis/values/heat_maps.h"
#include "core/report/report.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/sample_values.h"
#include "tests/support/test_main.h"

namespace value_analysis_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

const ValueTensorId weights(0), activation(1), gradient(2), momentum(3);

std::optional<Insight> found(const Profile& profile, std::string_view rule) {
    for (const Insight& insight : findInsights(profile))
        if (insight.rule == rule)
            return insight;
    return std::nullopt;
}

Profile computedProfile(bool changed = false) {
    Profile profile = sampleProfile({.withValues = true});
    profile.values = sampleValues(changed);
    profile.info.mode = "training";
    profile.info.options["mode"] = "training";
    profile.info.options["precision"] = "half";
    profile.info.options["lossScaling"] = changed ? "1024" : "1";
    return profile;
}

std::size_t rowsOf(const Profile& profile, const std::string& by, const std::string& filter = {}) {
    ReportRequest request;
    request.breakdown = by;
    if (!filter.empty())
        request.filter = Pattern(filter);
    return valuesReport(*ProfileView::of(profile), request).tables.at(0).rows.size();
}

} // namespace

class ValueAnalysisTest : public QObject {
    Q_OBJECT

private slots:
    void samplesAreFoundByTensor() {
        const ProfileValues values = sampleValues();
        QCOMPARE(samplesOf(values, gradient).size(), std::size_t{3});
        QCOMPARE(samplesOf(values, momentum).size(), std::size_t{2});
        QCOMPARE(samplesOf(values, ValueTensorId(9)).size(), std::size_t{0});
        QCOMPARE(sampledIterationsOf(values), (std::vector<std::int64_t>{1, 4, 8}));
    }

    void totalsAddUp() {
        ValueSample a = sampleOf(weights, 1, 2, 0, {2}, 0); // -1, 1, 0, 0
        ValueSample b = sampleOf(weights, 2, 0, 2, {4}, 0); // four of 4, as if all were
        b.mean = 4;
        b.deviation = 0;
        b.minimum = 4;
        const ValueSample both[] = {a, b};
        const ValueTotals totals = totalsOf(both);
        QCOMPARE(totals.elements, 8);
        QCOMPARE(totals.share(totals.zeros), 0.25);
        QCOMPARE(totals.mean, 2.0);
        QCOMPARE(totals.deviation, std::sqrt((2 * 1.0 + 4 * 16.0) / 8 - 4));
        QCOMPARE(totals.minimum, -1.0);
        QCOMPARE(totals.maximum, 4.0);
        QCOMPARE(totals.leastExponent(), std::optional<int>(0));
        QCOMPARE(totals.greatestExponent(), std::optional<int>(2));
        QVERIFY(!totalsOf({}).leastExponent());
    }

    // Zeros count if the other numbers reach down to the end of the range.
    void onlyZerosAtTheEndOfTheRangeUnderflow() {
        const ValueTensor half{"g", ValueKind::Gradient, "half", "[10]", {}, "g"};
        const auto share = [&](const ValueTensor& tensor, const ValueSample& sample) {
            return underflowShare(tensor, totalsOf({&sample, 1}));
        };
        constexpr int subnormalBelow = half_range::leastNormal;
        QCOMPARE(share(half, sampleOf(gradient, 1, 50, -8, {50}, subnormalBelow)), 0.0);
        QCOMPARE(share(half, sampleOf(gradient, 1, 50, -16, {50}, subnormalBelow)), 0.5);
        QCOMPARE(share(half, sampleOf(gradient, 1, 50, -24, {50}, subnormalBelow)), 1.0);
        QCOMPARE(share(half, sampleOf(gradient, 1, 50, -24, {25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25},
                                      subnormalBelow)),
                 0.75);
        QCOMPARE(share(half, sampleOf(gradient, 1, 50, 0, {}, subnormalBelow)), 1.0);
        // A sixteenth of what is above, as of numbers spread evenly around zero.
        const ValueSample even =
            sampleOf(gradient, 1, 90, -24, {0, 0, 0, 15, 0, 0, 0, 240, 0, 0, 0, 3840}, -14);
        QCOMPARE(share(half, even), (15 + 240 + 1.0) / (90 + 15 + 240 + 3840));
        ValueTensor single = half;
        single.type = "float";
        QCOMPARE(share(single, sampleOf(gradient, 1, 50, -24, {50}, subnormalBelow)), 0.0);
    }

    void exponentsOverIterations() {
        const ProfileValues values = sampleValues();
        const ValueTensorId both[] = {gradient, momentum};
        const ValueMatrix map = exponentMap(values, both);
        QCOMPARE(map.rows.size(), exponents::bins);
        QCOMPARE(map.rows[exponents::binOf(-24)][0], 3000.0 / 9408);
        QCOMPARE(map.rows[exponents::binOf(-30)][0], 0.0);
        QCOMPARE(map.rows[exponents::binOf(-30)][1], 9000.0 / (2 * 9408));
        const ValueTensorId one[] = {momentum};
        QVERIFY(std::isnan(exponentMap(values, one).rows[0][0]));
    }

    void tensorsOverIterations() {
        const ProfileValues values = sampleValues();
        const ValueTensorId rows[] = {activation, gradient, momentum};
        const auto at = [&](ValueMeasure measure, std::size_t row, std::size_t column) {
            return tensorMap(values, rows, measure).rows.at(row).at(column);
        };
        QCOMPARE(at(ValueMeasure::Zeros, 0, 2), 500'000.0 / 802'816);
        QCOMPARE(at(ValueMeasure::Subnormals, 1, 0), 3000.0 / 9408);
        QVERIFY(at(ValueMeasure::Underflow, 1, 0) > 0.6);
        QCOMPARE(at(ValueMeasure::NotFinite, 1, 0), 0.0);
        QCOMPARE(at(ValueMeasure::Largest, 1, 1), -14.0);
        QVERIFY(at(ValueMeasure::Exponent, 1, 1) < -14);
        QVERIFY(std::isnan(at(ValueMeasure::Zeros, 2, 0)));
        QVERIFY(!std::isnan(at(ValueMeasure::Zeros, 2, 1)));
    }

    void twoRunsAreCompared() {
        const ComparedValues compared = compareValues(sampleValues(), sampleValues(true));
        QCOMPARE(compared.curve.size(), std::size_t{8});
        QCOMPARE(compared.curve[3].iteration, 4);
        QCOMPARE(*compared.curve[3].targetLoss, *compared.curve[3].sourceLoss / 2);
        QCOMPARE(compared.tensors.size(), std::size_t{4});
        const ComparedTensor& moved = compared.tensors.front();
        QCOMPARE(text(moved.name), "conv1/weights/grad");
        // 2^-24 and 2^-14 in equal parts have become 2^-10 and 2^0.
        QVERIFY(std::fabs(*moved.moved - 14) < 1e-9);
        QCOMPARE(moved.lostChange(), -3408.0 / 9408);
        const ComparedTensor& last = compared.tensors.back();
        QVERIFY(last.moved.value_or(0) == 0 && last.lostChange() < 0.01);
        const auto same = compareValues(sampleValues(), sampleValues());
        for (const ComparedTensor& tensor : same.tensors)
            QCOMPARE(*tensor.moved, 0.0);
    }

    void theReportHasRowsAsAsked() {
        const Profile profile = computedProfile();
        QCOMPARE(rowsOf(profile, ""), std::size_t{4});
        QCOMPARE(rowsOf(profile, "tensor", "relu"), std::size_t{1});
        QCOMPARE(rowsOf(profile, "iteration"), std::size_t{11});
        QCOMPARE(rowsOf(profile, "exponent", "grad"), std::size_t{2});
        QCOMPARE(rowsOf(profile, "update"), std::size_t{8});
        QVERIFY_EXCEPTION_THROWN((void)rowsOf(profile, "magic"), UserError);
        const Profile without = sampleProfile();
        const Document none = valuesReport(*ProfileView::of(without), {});
        QVERIFY(none.tables.empty());
    }

    void gradientsThatUnderflowAreNamed() {
        const auto lost = found(computedProfile(), "gradientUnderflow");
        QVERIFY(lost);
        QVERIFY(lost->kind == InsightKind::Values && lost->level == InsightLevel::Warning);
        QCOMPARE(lost->cost.elements, 3 * 3000 + 3 * 3408);
        QCOMPARE(lost->link.things.operation.value(), 0);
        QCOMPARE(text(lost->evidence.at(0).label), "conv1/weights/grad of conv1");
        // The largest is 2^-14: up to 2^15 there are 29, less three.
        QCOMPARE(text(lost->advice.at(0).value), "32768");
        QVERIFY(!found(computedProfile(true), "gradientUnderflow"));
        QVERIFY(!found(sampleProfile(), "gradientUnderflow"));
        Profile close = computedProfile();
        for (ValueSample& sample : close.values.samples)
            if (sample.tensor == gradient)
                std::swap(sample.exponents[exponents::binOf(-14)],
                          sample.exponents[exponents::binOf(2)]);
        QCOMPARE(text(found(close, "gradientUnderflow")->advice.at(0).value), "1024");
        for (ValueSample& sample : close.values.samples)
            if (sample.tensor == gradient)
                std::swap(sample.exponents[exponents::binOf(2)],
                          sample.exponents[exponents::binOf(14)]);
        QCOMPARE(text(found(close, "gradientUnderflow")->advice.at(0).option), "precision");
    }

    void overflowIsAProblemWhereItBegan() {
        QVERIFY(!found(computedProfile(), "overflow"));
        Profile profile = computedProfile(true);
        ValueSample& sample = profile.values.samples[7]; // the gradient at update 4
        QCOMPARE(sample.tensor, gradient);
        sample.infinities = 5;
        sample.elements += 5;
        const auto over = found(profile, "overflow");
        QVERIFY(over && over->level == InsightLevel::Problem);
        QCOMPARE(over->cost.elements, 5);
        QVERIFY(text(over->reason).contains("conv1/weights/grad of conv1"));
        QCOMPARE(text(over->advice.at(0).option), "lossScaling");
        QCOMPARE(text(over->advice[0].value), "128");
        QVERIFY(findInsights(profile).front().rule == "overflow");
    }

    void deadChannelsAreCounted() {
        Profile profile = computedProfile();
        profile.values.tensors[activation].deadChannels = 16;
        // Three images are too few to decide.
        QVERIFY(!found(profile, "deadActivations"));
        profile.values.tensors[activation].elementsOfSample = 64 * 49;
        const auto dead = found(profile, "deadActivations");
        QVERIFY(dead && dead->level == InsightLevel::Warning);
        QCOMPARE(dead->cost.share, 0.25);
        QCOMPARE(text(dead->evidence.at(0).label), "relu1");
        profile.values.tensors[activation].deadChannels = 3;
        QVERIFY(!found(profile, "deadActivations"));
    }

    void partialsThatLoseAreNamed() {
        Profile profile = computedProfile();
        profile.info.options["partialsType"] = "half";
        profile.values.samples[3].partialsError = 1e-4;
        QVERIFY(!found(profile, "halfPartials"));
        profile.values.samples[4].partialsError = 0.02;
        const auto lossy = found(profile, "halfPartials");
        QVERIFY(lossy);
        QCOMPARE(lossy->evidence.at(0).value, 0.02);
        QCOMPARE(text(lossy->advice.at(0).option), "partialsType");
    }

    void costsOfElements() {
        QCOMPARE(text(formatCost({0, 0, 0.25, 12'345})),
                 "12,345 elements, 25.0 % of those looked at");
    }
};

TILESCOPE_TEST(ValueAnalysisTest)

} // namespace value_analysis_test

#include "value_analysis_test.moc"
