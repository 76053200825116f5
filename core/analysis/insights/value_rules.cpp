// What the numbers of a computed run lose: to half's range, in rectifiers, in partial sums.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/analysis/insights/advise.h"
#include "core/analysis/insights/rules.h"
#include "core/analysis/values/tensor_values.h"
#include "core/base/units.h"
#include "core/options/option_values.h"

namespace tilescope {
namespace {

/// A tensor with the count that a rule makes of it.
struct Finding {
    ValueTensorId tensor;
    std::int64_t count = 0, of = 0;
    [[nodiscard]] double share() const {
        return of > 0 ? static_cast<double>(count) / static_cast<double>(of) : 0;
    }
};

/// "conv1/weights/grad of conv1"
std::string labelOf(const ValueTensor& tensor) {
    return tensor.place.empty() || tensor.place == tensor.name
               ? tensor.name
               : tensor.name + " of " + tensor.place;
}

/// Findings as evidence and cost, the largest share first; the link goes to the first.
void describeFindings(const ProfileValues& values, std::vector<Finding> findings, std::int64_t of,
                      Insight& insight) {
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return a.share() > b.share(); });
    for (const Finding& finding : findings)
        insight.cost.elements += finding.count;
    insight.cost.share = of > 0 ? static_cast<double>(insight.cost.elements) / of : 0;
    insight.link.report = "values";
    if (!findings.empty()) {
        insight.link.things.tensor = findings.front().tensor;
        insight.link.things.operation = values.tensors[insight.link.things.tensor].operation;
    }
    for (std::size_t i = 0; i < std::min(shownRows, findings.size()); ++i) {
        const ValueTensor& tensor = values.tensors[findings[i].tensor];
        Evidence evidence = shareOf(labelOf(tensor), findings[i].share());
        evidence.operation = tensor.operation;
        insight.evidence.push_back(std::move(evidence));
    }
}

/// The largest exponent of all gradients in half; none if all of them are zero.
std::optional<int> greatestGradient(const ProfileValues& values) {
    std::optional<int> greatest;
    for (std::size_t i = 0; i < values.tensors.size(); ++i) {
        const ValueTensor& tensor = values.tensors[ValueTensorId(i)];
        if (tensor.kind != ValueKind::Gradient || !isHalfTensor(tensor))
            continue;
        const auto own = totalsOf(samplesOf(values, ValueTensorId(i))).greatestExponent();
        if (own)
            greatest = std::max(greatest.value_or(*own), *own);
    }
    return greatest;
}

/// Powers of two that gradients may grow by, after they were scaled, before they overflow.
/// *Assumed*: those of a few thousand updates stay within a factor of eight.
constexpr int keptHeadroom = 3;
/// The scale is a half itself.
constexpr int greatestScale = half_range::greatest;
/// Used if no gradient shows how much room there is. *Assumed.*
constexpr int scaleToBeginWith = 10;

/// The loss scale that moves the largest gradient to the end of half's range, minus some headroom.
double scaleToTry(const ProfileInfo& info, const std::optional<int>& greatest) {
    const double now = numberInForce(info, "lossScaling").value_or(1);
    const int room = greatest ? half_range::greatest - keptHeadroom - *greatest : scaleToBeginWith;
    const int wanted = static_cast<int>(std::floor(std::log2(now))) + room;
    return std::ldexp(1, std::clamp(wanted, 0, greatestScale));
}

std::vector<Insight> findUnderflow(const Facts& p) {
    constexpr double least = 0.01;   // of all gradients in half
    constexpr double warning = 0.05; // so that weights may learn otherwise
    const ProfileValues& values = p.values();
    std::vector<Finding> findings;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < values.tensors.size(); ++i) {
        const ValueTensor& tensor = values.tensors[ValueTensorId(i)];
        if (tensor.kind != ValueKind::Gradient || !isHalfTensor(tensor))
            continue;
        const ValueTotals totals = totalsOf(samplesOf(values, ValueTensorId(i)));
        all += totals.elements;
        const auto lost =
            std::llround(underflowShare(tensor, totals) * static_cast<double>(totals.elements));
        if (lost > 0)
            findings.push_back({ValueTensorId(i), lost, totals.elements});
    }
    Insight insight;
    describeFindings(values, findings, all, insight);
    if (insight.cost.share < least)
        return {};
    insight.level = insight.cost.share >= warning ? InsightLevel::Warning : InsightLevel::Note;
    insight.title =
        fmt::format("{} of the gradients underflow in half", formatPercent(insight.cost.share, 1));
    const std::optional<int> greatest = greatestGradient(values);
    insight.reason = fmt::format("Half loses bits below 2^{} and everything below 2^{}.",
                                 half_range::leastNormal, half_range::leastSubnormal);
    const double scale = scaleToTry(p.info(), greatest);
    const double now = numberInForce(p.info(), "lossScaling").value_or(1);
    if (greatest)
        insight.evidence.push_back(textOf("largest gradient", fmt::format("2^{}", *greatest)));
    insight.evidence.push_back(textOf("loss scaling in force", numberText(now)));
    Adviser adviser(p.info());
    if (scale > now)
        adviser.raise(
            "lossScaling",
            "moves gradients up in the range of half, by the room that there is above the "
            "largest",
            numberText(scale));
    else
        adviser.set("precision", "float", "has the range that these gradients need");
    insight.advice = adviser.advice();
    return {insight};
}

/// Elements of a sample that no finite number of its type could represent.
std::int64_t overflown(const ValueTensor& tensor, const ValueSample& sample) {
    return sample.nans + sample.infinities + (isHalfTensor(tensor) ? sample.atLimit : 0);
}

void adviseOnOverflow(const Facts& p, const ValueTensor& first, Insight& insight) {
    Adviser adviser(p.info());
    const double now = numberInForce(p.info(), "lossScaling").value_or(1);
    if (isHalfTensor(first)) {
        if (first.kind == ValueKind::Gradient && now > 1)
            adviser.lower("lossScaling", "keeps gradients within the range of half",
                          numberText(std::max(1.0, std::ldexp(now, -keptHeadroom))));
        adviser.set("precision", "float", "has the range that these numbers need");
    } else if (p.info().mode == "training") {
        adviser.lower("learningRate", "keeps weights from running away");
    }
    insight.advice = adviser.advice();
}

std::vector<Insight> findOverflow(const Facts& p) {
    const ProfileValues& values = p.values();
    std::vector<Finding> findings;
    std::int64_t all = 0;
    const ValueSample* first = nullptr;
    bool anyLost = false;
    for (const ValueSample& sample : values.samples) {
        const ValueTensor& tensor = values.tensors[sample.tensor];
        const std::int64_t over = overflown(tensor, sample);
        all += sample.elements;
        if (over == 0)
            continue;
        // A mask may be infinite on purpose; results computed from it may not.
        anyLost = anyLost || sample.nans > 0 || tensor.kind != ValueKind::Activation;
        if (first == nullptr || sample.iteration < first->iteration)
            first = &sample;
        if (findings.empty() || findings.back().tensor != sample.tensor)
            findings.push_back({sample.tensor, 0, 0});
        findings.back().count += over;
        findings.back().of += sample.elements;
    }
    if (first == nullptr)
        return {};
    const ValueTensor& begin = values.tensors[first->tensor];
    Insight insight;
    describeFindings(values, findings, all, insight);
    insight.level = anyLost ? InsightLevel::Problem : InsightLevel::Warning;
    insight.title = fmt::format("{} elements are infinite, NaN or saturated",
                                withThousands(insight.cost.elements));
    insight.reason = fmt::format("{} is the first, at iteration {}.", labelOf(begin),
                                 withThousands(first->iteration));
    insight.link.things.tensor = first->tensor;
    insight.link.things.operation = begin.operation;
    insight.evidence.push_back(countOf("first at iteration", first->iteration));
    adviseOnOverflow(p, begin, insight);
    return {insight};
}

/// Samples of data that a rectifier has been seen with.
double samplesSeen(const ProfileValues& values, ValueTensorId id) {
    return static_cast<double>(totalsOf(samplesOf(values, id)).elements) /
           static_cast<double>(values.tensors[id].elementsOfSample);
}

std::vector<Insight> findDead(const Facts& p) {
    constexpr double leastSamples = 100; // fewer do not tell dead from rarely used; *assumed*
    constexpr double least = 0.1;        // of a tensor
    const ProfileValues& values = p.values();
    std::vector<Finding> findings;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < values.tensors.size(); ++i) {
        const ValueTensor& tensor = values.tensors[ValueTensorId(i)];
        if (tensor.elementsOfSample == 0 || samplesSeen(values, ValueTensorId(i)) < leastSamples)
            continue;
        all += tensor.channels;
        const Finding finding{ValueTensorId(i), tensor.deadChannels, tensor.channels};
        if (finding.share() >= least)
            findings.push_back(finding);
    }
    if (findings.empty())
        return {};
    Insight insight;
    describeFindings(values, findings, all, insight);
    insight.level = levelOf(insight.cost.share);
    insight.title = fmt::format("{} of the channels of rectifiers are dead",
                                formatPercent(insight.cost.share, 1));
    insight.reason = "They are zero for every sample at every sampled iteration: nothing learns "
                     "from them, and what they compute is lost.";
    Adviser adviser(p.info());
    if (p.info().mode == "training")
        adviser.lower("learningRate", "pushes fewer of them below zero for good");
    insight.advice = adviser.advice();
    insight.advice.push_back({Advice::model,
                              Advice::Direction::Change,
                              {},
                              {},
                              "A layer with fewer channels computes the same."});
    return {insight};
}

std::vector<Insight> findPartials(const Facts& p) {
    // Rounding the product to half alone is an error of 2^-12, on average 2^-13.
    const double least = std::ldexp(1, -9);
    const ProfileValues& values = p.values();
    std::vector<Finding> findings;
    std::int64_t all = 0;
    double worst = 0;
    for (std::size_t i = 0; i < values.tensors.size(); ++i) {
        const ValueTotals totals = totalsOf(samplesOf(values, ValueTensorId(i)));
        if (!totals.partialsError)
            continue;
        all += totals.elements;
        if (*totals.partialsError < least)
            continue;
        worst = std::max(worst, *totals.partialsError);
        findings.push_back({ValueTensorId(i), totals.elements, totals.elements});
    }
    if (findings.empty())
        return {};
    Insight insight;
    describeFindings(values, findings, all, insight);
    insight.evidence.clear();
    for (std::size_t i = 0; i < std::min(shownRows, findings.size()); ++i) {
        const ValueTensorId id = findings[i].tensor;
        insight.evidence.push_back(
            shareOf(labelOf(values.tensors[id]), *totalsOf(samplesOf(values, id)).partialsError));
        insight.evidence.back().operation = values.tensors[id].operation;
    }
    insight.level = levelOf(worst);
    insight.title =
        fmt::format("Half partial sums change products by up to {}", formatPercent(worst, 2));
    insight.advice = Adviser(p.info())
                         .set("partialsType", "float", "adds up without losing small summands")
                         .advice();
    return {insight};
}

} // namespace

std::vector<Rule> valueRules() {
    return {
        {InsightKind::Values, "overflow", findOverflow},
        {InsightKind::Values, "gradientUnderflow", findUnderflow},
        {InsightKind::Values, "deadActivations", findDead},
        {InsightKind::Values, "halfPartials", findPartials},
    };
}

} // namespace tilescope
