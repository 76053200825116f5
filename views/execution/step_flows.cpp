#include "views/execution/step_flows.h"

#include "views/execution/trace_content.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr QLatin1String linkScheme("step:");

/// "F3", as on the pipeline's page.
QString letterOf(const MicroBatchPart& part) {
    const QString letter = part.forward && part.backward ? QStringLiteral("F%1 B%1")
                           : part.forward                ? QStringLiteral("F%1")
                                                         : QStringLiteral("B%1");
    return part.number > 0 ? letter.arg(part.number) : QString();
}

LaneStop stopOf(const FlowEnd& end, const TraceAxis& axis, bool target) {
    const std::string host = target ? "target host" : "source host";
    return {end.ipu.valid() ? ipuLaneKey(end.ipu, target) : host, axis.placesOf(end.cycles, target),
            letterOf(end.part)};
}

QString placeOf(const FlowEnd& end) {
    if (!end.ipu.valid())
        return Text::tr("the host");
    const QString ipu = Text::tr("IPU %1").arg(end.ipu.value());
    const QString letter = letterOf(end.part);
    return letter.isEmpty()
               ? ipu
               : Text::tr("%1 of stage %2 on %3").arg(letter, QString::number(end.part.stage), ipu);
}

/// The place, as a link if it is a step other than the one that is shown.
QString linkTo(const FlowEnd& end, std::int64_t shown) {
    const QString place = placeOf(end).toHtmlEscaped();
    if (end.step < 0 || end.step == shown || end.part.number == 0)
        return place;
    return QStringLiteral("<a href=\"%1%2\">%3</a>").arg(linkScheme).arg(end.step).arg(place);
}

QString meaningOf(FlowKind kind) {
    switch (kind) {
    case FlowKind::Stage:
        return Text::tr("Output");
    case FlowKind::Backward:
        return Text::tr("Activations kept");
    case FlowKind::Exchange:
        return Text::tr("Exchange");
    case FlowKind::Stream:
        break;
    }
    return Text::tr("Stream copy");
}

} // namespace

std::vector<LaneFlow> laneFlows(const Flows& flows, const TraceAxis& axis, bool target) {
    std::vector<LaneFlow> lanes;
    for (const Flow& flow : flows.list)
        lanes.push_back({stopOf(flow.from, axis, target), stopOf(flow.to, axis, target)});
    return lanes;
}

QString flowLinks(const Flows& flows, std::int64_t step, const Preferences& preferences) {
    constexpr std::size_t most = 12; // of a broadcast to many IPUs the first
    QStringList texts;
    for (const Flow& flow : flows.list) {
        if (texts.size() == static_cast<qsizetype>(most)) {
            texts << Text::tr("and %1 more").arg(flows.list.size() - most);
            break;
        }
        QString text =
            QStringLiteral("%1: %2 \u2192 %3")
                .arg(meaningOf(flow.kind), linkTo(flow.from, step), linkTo(flow.to, step));
        if (flow.bytes > 0)
            text += QStringLiteral(", ") + preferences.bytes(flow.bytes).toHtmlEscaped();
        texts << text;
    }
    if (flows.isCollective)
        texts << Text::tr("Several IPUs send to several: the profile does not say which to which");
    return texts.join(QStringLiteral(" \u00a0\u00b7\u00a0 "));
}

std::int64_t stepOfLink(const QString& link) {
    bool isNumber = false;
    const qlonglong step =
        link.startsWith(linkScheme) ? link.mid(linkScheme.size()).toLongLong(&isNumber) : -1;
    return isNumber ? step : -1;
}

} // namespace tilescope::views
