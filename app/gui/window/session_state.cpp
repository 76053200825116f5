#include "app/gui/window/session_state.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QSettings>
#include <type_traits>
#include <variant>

#include "core/base/error.h"
#include "core/view/thing.h"

namespace tilescope::gui {
namespace {

const QString settingsKey = QStringLiteral("session/windows");

const QString tilesKey = QStringLiteral("tiles");

QString keyOf(const ThingKind& kind) {
    return QString::fromLatin1(kind.name.data(), static_cast<qsizetype>(kind.name.size()));
}

QJsonObject selectedJson(const views::Selected& selected) {
    QJsonObject json;
    QJsonArray tiles;
    for (const Thing& thing : selected.all())
        std::visit(
            [&]<class Id>(Id id) {
                if constexpr (std::is_same_v<Id, TileId>)
                    tiles.append(id.value());
                else
                    json.insert(keyOf(kindOf(thing)), id.value());
            },
            thing);
    json.insert(tilesKey, tiles);
    return json;
}

views::Selected selectedFrom(const QJsonObject& json) {
    views::Selected selected;
    for (const ThingKind& kind : thingKinds())
        selected.add(kind.thing(json.value(keyOf(kind)).toInt(-1)));
    const QJsonArray tiles = json.value(tilesKey).toArray();
    for (const auto& tile : tiles)
        selected.add(TileId(tile.toInt(-1)));
    return selected;
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
    for (const QJsonValue file : json.value(QStringLiteral("files")).toArray())
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
    for (const QJsonValue window : QJsonDocument::fromJson(text).array())
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
