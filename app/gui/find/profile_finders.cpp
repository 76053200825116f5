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

QString headingOf(OperationId /*kind*/) {
    return ofProfile("Operations");
}
QString headingOf(VariableId /*kind*/) {
    return ofProfile("Variables");
}
QString headingOf(ProgramId /*kind*/) {
    return ofProfile("Program steps");
}

/// What tells a thing from others of its name, and what a hit selects.
struct About {
    QString detail;
    views::Selected thing;
};
About aboutOf(const ProfileView& profile, OperationId id) {
    return {QString::fromStdString((*profile.operations())[id].type), views::Selected(id)};
}
About aboutOf(const ProfileView& profile, VariableId id) {
    return {views::textOf(toString((*profile.variables())[id].category)), views::Selected(id)};
}
About aboutOf(const ProfileView& profile, ProgramId id) {
    const Program& program = (*profile.programs())[id];
    About about{views::textOf(toString(program.kind)), views::Selected(id)};
    about.thing.operation = program.operation;
    about.thing.computeSet = program.computeSet;
    return about;
}

} // namespace

template <class Id> QString NameFinder<Id>::heading() const {
    return headingOf(Id());
}

template <class Id>
std::vector<Found> NameFinder<Id>::find(const QString& typed, std::size_t most,
                                        const std::stop_token& stop) const {
    if (typed.trimmed().size() < fewestLetters)
        return {};
    const ThingNames names = kindOf(Id()).names(profile(), stop);
    const auto name = [&names](std::size_t id) { return views::textOf(names.name(id)); };
    std::vector<Found> all;
    for (const std::size_t number : bestNames(typed, names.count, name, most, stop)) {
        const About about = aboutOf(profile(), Id(number));
        all.push_back({name(number), about.detail,
                       [thing = about.thing](Guide& guide) { guide.show(thing); }});
    }
    return all;
}

template class NameFinder<OperationId>;
template class NameFinder<VariableId>;
template class NameFinder<ProgramId>;

QString TileFinder::heading() const {
    return ofProfile("Tiles");
}

std::vector<Found> TileFinder::find(const QString& typed, std::size_t /*most*/,
                                    const std::stop_token& /*stop*/) const {
    const Target& machine = profile().machine();
    const std::optional<int> tile = numberAfter(typed, QStringLiteral("tile"), false);
    if (!tile || *tile >= machine.totalTiles())
        return {};
    return {{ofProfile("Tile %1").arg(*tile),
             machine.ipus > 1 ? ofProfile("IPU %1").arg(*tile / machine.tilesPerIpu) : QString(),
             [tile](Guide& guide) { guide.show(views::Selected(TileId(*tile))); }}};
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

QString MicroBatchFinder::heading() const {
    return ofProfile("Micro-batches");
}

std::vector<Found> MicroBatchFinder::find(const QString& typed, std::size_t most,
                                          const std::stop_token& stop) const {
    static const QRegularExpression word(QStringLiteral("^\\s*(micro-?)?batch\\s*$"),
                                         QRegularExpression::CaseInsensitiveOption);
    const std::optional<int> wanted = numberAfter(typed, QStringLiteral("(?:micro-?)?batch"), true);
    if (!wanted && !word.match(typed).hasMatch())
        return {};
    const ThingNames batches = kindOf(MicroBatchId()).names(profile(), stop);
    std::vector<Found> all;
    const auto add = [&](std::size_t number) {
        all.push_back(
            {ofProfile("Micro-batch %1").arg(number),
             ofProfile("of %1 in a step of the pipeline").arg(batches.count - 1),
             [number](Guide& guide) { guide.show(views::Selected(MicroBatchId(number))); }});
    };
    if (wanted) {
        const auto number = static_cast<std::size_t>(*wanted);
        if (number >= batches.first && number < batches.count)
            add(number);
        return all;
    }
    for (std::size_t number = batches.first; number < batches.count && all.size() < most; ++number)
        add(number);
    return all;
}

} // namespace tilescope::gui
