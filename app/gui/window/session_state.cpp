#include "app/gui/window/session_state.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QSettings>

#include "core/base/error.h"

namespace tilescope::gui {
namespace {

const QString settingsKey = QStringLiteral("session/windows");

QJsonObject selectedJson(const views::Selected& s) {
    QJsonArray tiles;
    for (const TileId tile : s.tiles)
        tiles.append(tile.value());
    return {{"ipu", s.ipu.value()},
            {"tiles", tiles},
            {"step", s.step.value()},
            {"variable", s.variable.value()},
            {"operation", s.operation.value()},
            {"computeSet", s.computeSet.value()},
            {"program", s.program.value()},
            {"tensor", s.tensor.value()}};
}

views::Selected selectedFrom(const QJsonObject& json) {
    const auto id = [&json](const char* key) { return json.value(QLatin1String(key)).toInt(-1); };
    views::Selected s;
    s.ipu = IpuId(id("ipu"));
    s.step = StepId(id("step"));
    s.variable = VariableId(id("variable"));
    s.operation = OperationId(id("operation"));
    s.computeSet = ComputeSetId(id("computeSet"));
    s.program = ProgramId(id("program"));
    s.tensor = ValueTensorId(id("tensor"));
    for (const QJsonValue& tile : json.value(QStringLiteral("tiles")).toArray())
        s.tiles.emplace_back(tile.toInt(-1));
    std::erase_if(s.tiles, [](TileId tile) { return !tile.valid(); });
    return s;
}

Report reportOr(const QString& name, Report otherwise) {
    try {
        return reportFrom(name);
    } catch (const UserError&) {
        return otherwise; // written by another version
    }
}

} // namespace

QJsonObject toJson(const SessionState& state) {
    return {{"files", QJsonArray::fromStringList(state.files)},
            {"report", reportName(state.report)},
            {"selected", selectedJson(state.selected)},
            {"zoom", QJsonArray{state.zoom.first, state.zoom.last, state.zoom.from, state.zoom.to}},
            {"geometry", QString::fromLatin1(state.geometry.toBase64())},
            {"controls", state.controls}};
}

SessionState sessionFrom(const QJsonObject& json) {
    SessionState state;
    for (const QJsonValue& file : json.value(QStringLiteral("files")).toArray())
        if (file.isString() && !file.toString().isEmpty() && state.files.size() < 2)
            state.files << file.toString();
    state.report = reportOr(json.value(QStringLiteral("report")).toString(), Report::Summary);
    state.selected = selectedFrom(json.value(QStringLiteral("selected")).toObject());
    const QJsonArray zoom = json.value(QStringLiteral("zoom")).toArray();
    state.zoom = {zoom.at(0).toDouble(), zoom.at(1).toDouble(), zoom.at(2).toDouble(),
                  zoom.at(3).toDouble()};
    state.geometry =
        QByteArray::fromBase64(json.value(QStringLiteral("geometry")).toString().toLatin1());
    state.controls = json.value(QStringLiteral("controls")).toObject();
    return state;
}

std::vector<SessionState> storedSession() {
    const QByteArray text = QSettings().value(settingsKey).toByteArray();
    std::vector<SessionState> windows;
    for (const QJsonValue& window : QJsonDocument::fromJson(text).array())
        windows.push_back(sessionFrom(window.toObject()));
    return windows;
}

void storeSession(const std::vector<SessionState>& windows) {
    QJsonArray all;
    for (const SessionState& window : windows)
        all.append(toJson(window));
    QSettings().setValue(settingsKey, QJsonDocument(all).toJson(QJsonDocument::Compact));
}

} // namespace tilescope::gui
