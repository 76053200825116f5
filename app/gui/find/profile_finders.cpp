#include "app/gui/find/profile_finders.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include "app/gui/find/name_matches.h"
#include "views/session/time_texts.h"

namespace tilescope::gui {
namespace {

constexpr qsizetype fewestLetters = 2; // a single letter is in every name

QString ofProfile(const char* text) {
    return QCoreApplication::translate("Finder", text);
}

/// The number after a word, if nothing else is typed; the word is optional unless `wordNeeded`.
std::optional<int> numberAfter(const QString& typed, const QString& word, bool wordNeeded) {
    const QRegularExpression form(QStringLiteral("^\\s*(%1)%2\\s*(\\d{1,9})\\s*$")
                                      .arg(word, wordNeeded ? QString() : QStringLiteral("?")),
                                  QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = form.match(typed);
    return match.hasMatch() ? std::optional(match.captured(2).toInt()) : std::nullopt;
}

} // namespace

std::vector<Found> NameFinder::find(const QString& typed, std::size_t most,
                                    const std::stop_token& stop) const {
    if (typed.trimmed().size() < fewestLetters)
        return {};
    const Names names = read(stop);
    std::vector<Found> all;
    for (const std::size_t number : bestNames(typed, names.count, names.name, most, stop))
        all.push_back({names.name(number), names.detail(number),
                       [thing = names.thing(number)](Guide& guide) { guide.show(thing); }});
    return all;
}

QString OperationFinder::heading() const {
    return ofProfile("Operations");
}

NameFinder::Names OperationFinder::read(const std::stop_token& stop) const {
    const auto operations = profile().operations(stop);
    const auto at = [operations](std::size_t i) -> const Operation& {
        return (*operations)[OperationId(i)];
    };
    return {operations->size(), [at](std::size_t i) { return QString::fromStdString(at(i).name); },
            [at](std::size_t i) { return QString::fromStdString(at(i).type); },
            [](std::size_t i) {
                views::Selected thing;
                thing.operation = OperationId(i);
                return thing;
            }};
}

QString VariableFinder::heading() const {
    return ofProfile("Variables");
}

NameFinder::Names VariableFinder::read(const std::stop_token& stop) const {
    const auto variables = profile().variables(stop);
    const auto at = [variables](std::size_t i) -> const Variable& {
        return (*variables)[VariableId(i)];
    };
    return {variables->size(), [at](std::size_t i) { return QString::fromStdString(at(i).name); },
            [at](std::size_t i) { return views::textOf(toString(at(i).category)); },
            [](std::size_t i) {
                views::Selected thing;
                thing.variable = VariableId(i);
                return thing;
            }};
}

QString StepFinder::heading() const {
    return ofProfile("Program steps");
}

NameFinder::Names StepFinder::read(const std::stop_token& stop) const {
    const auto programs = profile().programs(stop);
    const auto at = [programs](std::size_t i) -> const Program& {
        return (*programs)[ProgramId(i)];
    };
    return {programs->size(), [at](std::size_t i) { return QString::fromStdString(at(i).name); },
            [at](std::size_t i) { return views::textOf(toString(at(i).kind)); },
            [at](std::size_t i) {
                views::Selected thing;
                thing.program = ProgramId(i);
                thing.operation = at(i).operation;
                thing.computeSet = at(i).computeSet;
                return thing;
            }};
}

QString TileFinder::heading() const {
    return ofProfile("Tiles");
}

std::vector<Found> TileFinder::find(const QString& typed, std::size_t /*most*/,
                                    const std::stop_token& /*stop*/) const {
    const Target& machine = profile().machine();
    const std::optional<int> tile = numberAfter(typed, QStringLiteral("tile"), false);
    if (!tile || *tile >= machine.totalTiles())
        return {};
    views::Selected thing;
    thing.tiles = {TileId(*tile)};
    return {{ofProfile("Tile %1").arg(*tile),
             machine.ipus > 1 ? ofProfile("IPU %1").arg(*tile / machine.tilesPerIpu) : QString(),
             [thing](Guide& guide) { guide.show(thing); }}};
}

QString IpuFinder::heading() const {
    return ofProfile("IPUs");
}

std::vector<Found> IpuFinder::find(const QString& typed, std::size_t most,
                                   const std::stop_token& /*stop*/) const {
    const int ipus = profile().machine().ipus;
    const auto found = [](int ipu) {
        return Found{
            ofProfile("IPU %1").arg(ipu), {}, [ipu](Guide& guide) { guide.showIpu(IpuId(ipu)); }};
    };
    const std::optional<int> wanted = numberAfter(typed, QStringLiteral("ipu"), true);
    if (wanted && *wanted < ipus)
        return {found(*wanted)};
    std::vector<Found> all;
    if (typed.trimmed().compare(QLatin1String("ipu"), Qt::CaseInsensitive) == 0)
        for (int ipu = 0; ipu < ipus && all.size() < most; ++ipu)
            all.push_back(found(ipu));
    return all;
}

} // namespace tilescope::gui
