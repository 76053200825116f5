#include "app/gui/window/deep_link.h"

#include <QRegularExpression>
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>

#include "core/analysis/accounting/cost_rows.h"
#include "core/analysis/source/source_names.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "views/session/time_texts.h"

namespace tilescope::gui {
namespace {

/// Not a thing of its own: the operation with the most cycles at a line of the program.
constexpr QLatin1String lineWish("line");

const ThingKind* kindFrom(const QString& name) {
    for (const ThingKind& kind : thingKinds())
        if (kind.linked && name.toStdString() == kind.name)
            return &kind;
    return nullptr;
}

QStringList kindNames() {
    QStringList names;
    for (const ThingKind& kind : thingKinds())
        if (kind.linked)
            names << views::textOf(kind.name);
    names << lineWish;
    return names;
}

template <class... Ids> std::vector<const ThingKind*> kinds() {
    return {&kindOf(Ids())...};
}

/// The kinds of selection of a report, the most common first.
std::vector<const ThingKind*> kindsOf(Report report) {
    switch (report) {
    case Report::Memory:
        return kinds<VariableId>();
    case Report::Liveness:
        return kinds<StepId, VariableId>();
    case Report::Programs:
        return kinds<ProgramId>();
    case Report::Trace:
        return kinds<OperationId, StepId>();
    case Report::Values:
        return kinds<ValueTensorId, OperationId>();
    case Report::Operations:
    case Report::Pipeline:
        return kinds<OperationId>();
    case Report::Summary:
    case Report::Insights:
    case Report::Compare:
    case Report::Query:
        break;
    }
    return kinds<OperationId, VariableId>();
}

/// The unit of a report's axis; null if it has none.
const char* axisOf(Report report) {
    switch (report) {
    case Report::Trace:
        return "cycles";
    case Report::Memory:
        return "tiles";
    case Report::Liveness:
        return "program steps";
    case Report::Values:
        return "iterations";
    default:
        return nullptr;
    }
}

std::optional<int> numberIn(const QString& text) {
    bool good = false;
    const int number = text.toInt(&good);
    return good && number >= 0 ? std::optional(number) : std::nullopt;
}

void take(views::Selected& selected, const Thing& thing, Report report,
          const ProfileView& profile) {
    selected.add(thing);
    if (const auto* step = std::get_if<StepId>(&thing); step != nullptr && report == Report::Trace)
        selected.program = (*profile.steps())[*step];
    if (const auto* tensor = std::get_if<ValueTensorId>(&thing))
        selected.operation = profile.values()->tensors[*tensor].operation;
}

[[noreturn]] void refuseNumber(const SelectWish& wish, const ThingNames& names) {
    const std::string what = wish.what.toStdString();
    const std::string number = wish.name.toStdString();
    if (names.first > 0 && names.count <= names.first)
        throw UserError(fmt::format("--select: the profile has no {}", what));
    if (names.first > 0)
        throw UserError(fmt::format("--select: the profile has no such {}: {} is not in {} to {}",
                                    what, number, names.first, names.count - 1));
    throw UserError(fmt::format("--select: the profile has no such {}: {} is not below {}", what,
                                number, names.count));
}

[[noreturn]] void refuseName(const QString& name, const std::vector<const ThingKind*>& possible,
                             const ProfileView& profile) {
    constexpr std::size_t mostCompared = 20'000; // a large profile's would take seconds
    QStringList called;
    std::vector<std::string> known;
    for (const ThingKind* kind : possible) {
        called << views::textOf(kind->name);
        const ThingNames names = kind->names(profile, {});
        for (std::size_t i = 0; names.name && i < names.count && known.size() < mostCompared; ++i)
            known.emplace_back(names.name(i));
    }
    const std::string typed = name.toStdString();
    throw UserError(fmt::format("--select: the profile has no {} '{}'.{}",
                                called.join(QStringLiteral(" or ")).toStdString(), shortened(typed),
                                didYouMean(typed, known)));
}

/// "model.py:72" as reports name it.
void resolveLine(views::Selected& selected, const std::string& line, const ProfileView& profile) {
    const SourceNames names(profile);
    const std::vector<CostRow> rows =
        costRows(profile, *accountingOf(profile), CostLayer::Place, 1);
    const CostRow* most = nullptr;
    std::set<std::string> known;
    for (const CostRow& row : rows) {
        const std::string at = names.name(row.node, SourceGrain::Line);
        known.insert(at);
        if (at == line && row.operation.valid() &&
            (most == nullptr || row.measuredCycles > most->measuredCycles))
            most = &row;
    }
    known.erase("");
    if (most == nullptr)
        throw UserError(
            fmt::format("--select: no operation of the profile is at line '{}'.{}", shortened(line),
                        known.empty() ? std::string(" It has no lines of the program that made it.")
                                      : didYouMean(line, {known.begin(), known.end()})));
    selected.operation = most->operation;
}

void resolveOne(views::Selected& selected, const SelectWish& wish, Report report,
                const ProfileView& profile) {
    if (wish.what == lineWish)
        return resolveLine(selected, wish.name.toStdString(), profile);
    const ThingKind* const given = kindFrom(wish.what);
    if (const auto number = given != nullptr ? numberIn(wish.name) : std::nullopt) {
        const ThingNames names = given->names(profile, {});
        const auto id = static_cast<std::size_t>(*number);
        if (id < names.first || id >= names.count)
            refuseNumber(wish, names);
        return take(selected, given->thing(*number), report, profile);
    }
    const std::vector<const ThingKind*> possible =
        given != nullptr ? std::vector{given} : kindsOf(report);
    const std::string name = wish.name.toStdString();
    for (const ThingKind* kind : possible)
        if (const auto id = kind->names(profile, {}).find(name))
            return take(selected, kind->thing(static_cast<std::int32_t>(*id)), report, profile);
    refuseName(wish.name, possible, profile);
}

/// Where the next "kind=" of a list begins.
const QRegularExpression& nextKind() {
    static const QRegularExpression expression(
        QStringLiteral(",(?=(%1)=)").arg(kindNames().join(QLatin1Char('|'))));
    return expression;
}

QString quoted(QString text) {
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=,@%+-]+$"));
    if (plain.match(text).hasMatch())
        return text;
    return QLatin1Char('\'') + text.replace(QLatin1Char('\''), QStringLiteral("'\\''")) +
           QLatin1Char('\'');
}

/// Whether a name can be given to --select and is read back unchanged.
bool canBeGiven(const QString& name) {
    constexpr qsizetype longest = 300; // letters; longer ones are unwieldy to paste
    return !name.isEmpty() && name.size() <= longest && !numberIn(name) &&
           !nextKind().match(name).hasMatch() &&
           std::all_of(name.begin(), name.end(), [](QChar c) { return c.isPrint(); });
}

/// "operation=conv1"; empty for a thing of another profile, and if links cannot name it.
QString wishFor(const Thing& thing, const ProfileView& profile) {
    const ThingKind& kind = kindOf(thing);
    if (!kind.linked)
        return {};
    const std::size_t id = std::visit([](auto one) { return one.index(); }, thing);
    const ThingNames names = kind.names(profile, {});
    if (id < names.first || id >= names.count)
        return {};
    QString text = QString::number(id);
    if (names.name) {
        const QString shown = views::textOf(names.name(id));
        if (canBeGiven(shown) && names.find(names.name(id)) == id)
            text = shown;
    }
    return views::textOf(kind.name) + QLatin1Char('=') + text;
}

} // namespace

std::vector<SelectWish> selectWishesFrom(const QString& text) {
    static const QRegularExpression number(QStringLiteral("^([A-Za-z]+)=\\d+$"));
    const QString first = text.section(QLatin1Char('='), 0, 0);
    if (!text.contains(QLatin1Char('=')) || (kindFrom(first) == nullptr && first != lineWish)) {
        // A number after an unknown kind is a mistake; anything else may be a name.
        if (text.isEmpty() || number.match(text).hasMatch()) {
            QStringList names = kindNames();
            const QString last = names.takeLast();
            throw UserError(fmt::format(
                "--select cannot select '{}': it can be a name, or {} or {}", first.toStdString(),
                names.join(QStringLiteral(", ")).toStdString(), last.toStdString()));
        }
        return {{{}, text}};
    }
    std::vector<SelectWish> wishes;
    for (const QString& each : text.split(nextKind())) {
        const SelectWish wish{each.section(QLatin1Char('='), 0, 0),
                              each.section(QLatin1Char('='), 1)};
        const bool hasNumber =
            wish.what == QLatin1String("tile") || wish.what == QLatin1String("batch");
        if (wish.name.isEmpty() || (hasNumber && !numberIn(wish.name)))
            throw UserError(
                fmt::format("--select needs WHAT=NUMBER, such as tile=5, or WHAT=NAME, not '{}'",
                            each.toStdString()));
        wishes.push_back(wish);
    }
    return wishes;
}

AxisRange axisRangeFrom(const QString& text) {
    bool from = false;
    bool to = false;
    const QStringList ends = text.split(QLatin1Char(':'));
    const AxisRange range{ends.value(0).toLongLong(&from), ends.value(1).toLongLong(&to)};
    if (ends.size() != 2 || !from || !to || range.from < 0 || range.to <= range.from)
        throw UserError(
            fmt::format("--range needs FROM:TO, whole numbers of which the second is larger, such "
                        "as 1000:2000, not '{}'",
                        text.toStdString()));
    return range;
}

views::Selected resolve(const std::vector<SelectWish>& wishes, Report report,
                        const ProfileView& profile) {
    views::Selected selected;
    for (const SelectWish& wish : wishes)
        resolveOne(selected, wish, report, profile);
    return selected;
}

void requireAxis(Report report) {
    if (axisOf(report) != nullptr)
        return;
    QStringList having;
    for (const Report each : reports)
        if (const char* axis = axisOf(each))
            having << QStringLiteral("%1 (%2)").arg(reportName(each), QLatin1String(axis));
    throw UserError(fmt::format("--range: the view '{}' has no axis; these have: {}",
                                reportName(report).toStdString(),
                                having.join(QStringLiteral(", ")).toStdString()));
}

QString commandLine(const DeepLink& link, const ProfileView& source) {
    QStringList words{QStringLiteral("tilescope-gui"), quoted(link.files.value(0)),
                      QStringLiteral("--view"), reportName(link.report)};
    QStringList wishes;
    for (const Thing& thing : link.selected.all())
        wishes << wishFor(thing, source);
    wishes.removeAll(QString());
    if (!wishes.isEmpty())
        words << QStringLiteral("--select") << quoted(wishes.join(QLatin1Char(',')));
    if (link.range)
        words << QStringLiteral("--range")
              << QStringLiteral("%1:%2").arg(link.range->from).arg(link.range->to);
    if (link.files.size() > 1)
        words << QStringLiteral("--compare") << quoted(link.files[1]);
    return words.join(QLatin1Char(' '));
}

} // namespace tilescope::gui
