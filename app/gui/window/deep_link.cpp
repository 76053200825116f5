#include "app/gui/window/deep_link.h"

#include <QRegularExpression>
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace tilescope::gui {
namespace {

enum class Kind { Tile, Step, Variable, Operation, Program, Tensor };
const QStringList kindNames{"tile", "step", "variable", "operation", "program", "tensor"};

const QString& kindName(Kind kind) {
    return kindNames[static_cast<qsizetype>(kind)];
}

std::optional<Kind> kindFrom(const QString& name) {
    const qsizetype place = kindNames.indexOf(name);
    return place < 0 ? std::optional<Kind>() : static_cast<Kind>(place);
}

/// The kinds of selection of a report, the most common first.
std::vector<Kind> kindsOf(Report report) {
    switch (report) {
    case Report::Memory:
        return {Kind::Variable};
    case Report::Liveness:
        return {Kind::Step, Kind::Variable};
    case Report::Programs:
        return {Kind::Program};
    case Report::Trace:
        return {Kind::Operation, Kind::Step};
    case Report::Values:
        return {Kind::Tensor, Kind::Operation};
    case Report::Operations:
    case Report::Pipeline:
        return {Kind::Operation};
    case Report::Summary:
    case Report::Insights:
    case Report::Compare:
    case Report::Query:
        break;
    }
    return {Kind::Operation, Kind::Variable};
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

/// The number of items of a kind in a profile, and their names.
struct Names {
    std::size_t count = 0;
    std::function<std::string_view(std::size_t)> name; ///< none for tiles
};

template <class Part> Names namesIn(const std::shared_ptr<const Part>& part) {
    return {part->size(), [part](std::size_t i) {
                return std::string_view((part->begin() + static_cast<std::ptrdiff_t>(i))->name);
            }};
}

Names namesOfSteps(const ProfileView& profile) {
    const auto steps = profile.steps();
    return {steps->size(), [steps, programs = profile.programs()](std::size_t i) {
                return std::string_view(
                    (*programs)[(*steps)[StepId(static_cast<std::int32_t>(i))]].name);
            }};
}

Names namesOf(Kind kind, const ProfileView& profile) {
    switch (kind) {
    case Kind::Tile:
        return {static_cast<std::size_t>(profile.machine().totalTiles()), {}};
    case Kind::Step:
        return namesOfSteps(profile);
    case Kind::Variable:
        return namesIn(profile.variables());
    case Kind::Operation:
        return namesIn(profile.operations());
    case Kind::Program:
        return namesIn(profile.programs());
    case Kind::Tensor:
        break;
    }
    const auto values = profile.values();
    return namesIn(std::shared_ptr<const decltype(values->tensors)>(values, &values->tensors));
}

std::optional<int> placeOf(std::string_view name, const Names& names) {
    for (std::size_t i = 0; names.name && i < names.count; ++i)
        if (names.name(i) == name)
            return static_cast<int>(i);
    return {};
}

std::optional<int> numberIn(const QString& text) {
    bool good = false;
    const int number = text.toInt(&good);
    return good && number >= 0 ? std::optional(number) : std::nullopt;
}

void take(views::Selected& selected, Kind kind, int id, Report report, const ProfileView& profile) {
    switch (kind) {
    case Kind::Tile:
        selected.tiles.emplace_back(id);
        break;
    case Kind::Step:
        selected.step = StepId(id);
        if (report == Report::Trace)
            selected.program = (*profile.steps())[selected.step];
        break;
    case Kind::Variable:
        selected.variable = VariableId(id);
        break;
    case Kind::Operation:
        selected.operation = OperationId(id);
        break;
    case Kind::Program:
        selected.program = ProgramId(id);
        break;
    case Kind::Tensor:
        selected.tensor = ValueTensorId(id);
        selected.operation = profile.values()->tensors[selected.tensor].operation;
        break;
    }
}

[[noreturn]] void refuseNumber(const SelectWish& wish, const Names& names) {
    throw UserError(fmt::format("--select: the profile has no such {}: {} is not below {}",
                                wish.what.toStdString(), wish.name.toStdString(), names.count));
}

[[noreturn]] void refuseName(const QString& name, const std::vector<Kind>& kinds,
                             const ProfileView& profile) {
    constexpr std::size_t mostCompared = 20'000; // a large profile's would take seconds
    QStringList called;
    std::vector<std::string> known;
    for (const Kind kind : kinds) {
        called << kindName(kind);
        const Names names = namesOf(kind, profile);
        for (std::size_t i = 0; names.name && i < names.count && known.size() < mostCompared; ++i)
            known.emplace_back(names.name(i));
    }
    const std::string typed = name.toStdString();
    throw UserError(fmt::format("--select: the profile has no {} '{}'.{}",
                                called.join(QStringLiteral(" or ")).toStdString(), shortened(typed),
                                didYouMean(typed, known)));
}

void resolveOne(views::Selected& selected, const SelectWish& wish, Report report,
                const ProfileView& profile) {
    const std::optional<Kind> given = kindFrom(wish.what);
    if (const auto number = given ? numberIn(wish.name) : std::nullopt) {
        const Names names = namesOf(*given, profile);
        if (static_cast<std::size_t>(*number) >= names.count)
            refuseNumber(wish, names);
        return take(selected, *given, *number, report, profile);
    }
    const std::vector<Kind> kinds = given ? std::vector{*given} : kindsOf(report);
    const std::string name = wish.name.toStdString();
    for (const Kind kind : kinds)
        if (const auto place = placeOf(name, namesOf(kind, profile)))
            return take(selected, kind, *place, report, profile);
    refuseName(wish.name, kinds, profile);
}

/// Where the next "kind=" of a list begins.
const QRegularExpression& nextKind() {
    static const QRegularExpression expression(
        QStringLiteral(",(?=(%1)=)").arg(kindNames.join(QLatin1Char('|'))));
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

class WishWriter {
public:
    explicit WishWriter(const ProfileView& profile)
        : profile_(profile) {}
    template <class Id> void add(Kind kind, Id id) {
        if (!id.valid())
            return;
        const Names names = namesOf(kind, profile_);
        if (id.index() >= names.count)
            return; // of another profile
        QString text = QString::number(id.value());
        if (names.name) {
            const std::string_view name = names.name(id.index());
            const QString shown = QString::fromUtf8(name.data(), static_cast<int>(name.size()));
            if (canBeGiven(shown) && placeOf(name, names) == id.value())
                text = shown;
        }
        texts_ << kindName(kind) + QLatin1Char('=') + text;
    }
    [[nodiscard]] QString text() const { return texts_.join(QLatin1Char(',')); }

private:
    const ProfileView& profile_;
    QStringList texts_;
};

} // namespace

std::vector<SelectWish> selectWishesFrom(const QString& text) {
    static const QRegularExpression number(QStringLiteral("^([A-Za-z]+)=\\d+$"));
    const QString first = text.section(QLatin1Char('='), 0, 0);
    if (!text.contains(QLatin1Char('=')) || !kindFrom(first)) {
        // A number after an unknown kind is a mistake; anything else may be a name.
        if (text.isEmpty() || number.match(text).hasMatch())
            throw UserError(fmt::format("--select cannot select '{}': it can be a name, or tile, "
                                        "step, variable, operation, program or tensor",
                                        first.toStdString()));
        return {{{}, text}};
    }
    std::vector<SelectWish> wishes;
    for (const QString& each : text.split(nextKind())) {
        const SelectWish wish{each.section(QLatin1Char('='), 0, 0),
                              each.section(QLatin1Char('='), 1)};
        if (wish.name.isEmpty() || (wish.what == kindName(Kind::Tile) && !numberIn(wish.name)))
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
    const views::Selected& s = link.selected;
    WishWriter wishes(source);
    for (const TileId tile : s.tiles)
        wishes.add(Kind::Tile, tile);
    wishes.add(Kind::Step, s.step);
    wishes.add(Kind::Variable, s.variable);
    wishes.add(Kind::Operation, s.operation);
    wishes.add(Kind::Program, s.program);
    wishes.add(Kind::Tensor, s.tensor);
    if (!wishes.text().isEmpty())
        words << QStringLiteral("--select") << quoted(wishes.text());
    if (link.range)
        words << QStringLiteral("--range")
              << QStringLiteral("%1:%2").arg(link.range->from).arg(link.range->to);
    if (link.files.size() > 1)
        words << QStringLiteral("--compare") << quoted(link.files[1]);
    return words.join(QLatin1Char(' '));
}

} // namespace tilescope::gui
