#include "app/gui/arguments.h"

#include <QCoreApplication>
#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "app/gui/window/given_files.h"
#include "app/gui/window/reports.h"
#include "core/base/error.h"
#include "core/base/output_target.h"
#include "core/base/suggest.h"

namespace tilescope::gui {
namespace {

const std::vector<std::string> options{"--grab", "--select", "--range",       "--theme",
                                       "--size", "--view",   "--compare",     "--check",
                                       "--help", "-h",       "--frame-times", "--version"};

// Reads the arguments one after the other.
class Reader {
public:
    explicit Reader(const QStringList& arguments)
        : arguments_(arguments) {}
    [[nodiscard]] bool atEnd() const { return at_ >= arguments_.size(); }
    [[nodiscard]] const QString& peek() const { return arguments_[at_]; }
    QString next() { return arguments_[at_++]; }
    QString value(const QString& option, const char* what) {
        if (atEnd())
            throw UserError(fmt::format("{} needs {}", option.toStdString(), what));
        return next();
    }

private:
    const QStringList& arguments_;
    qsizetype at_ = 0;
};

bool isGrab(const QString& text) {
    return !text.startsWith(QLatin1Char('-')) && text.indexOf(QLatin1Char('=')) > 0;
}

/// PNG for a pipe or a device, whose name does not tell the kind.
views::PictureKind kindOf(const QString& file) {
    using views::PictureKind;
    const auto kind = views::pictureKind(file);
    if (kind == PictureKind::Png || kind == PictureKind::Jpeg)
        return *kind;
    if (!kind && !outputTarget(file.toStdString()).regular)
        return PictureKind::Png;
    throw UserError(fmt::format("--grab: cannot write picture '{}': its name must end in .png or "
                                ".jpg",
                                file.toStdString()));
}

GrabRequest grabFrom(const QString& text) {
    const qsizetype equals = text.indexOf(QLatin1Char('='));
    if (equals < 1 || equals + 1 == text.size())
        throw UserError(fmt::format("--grab needs VIEW=FILE.png, not '{}'", text.toStdString()));
    const QString view = text.left(equals);
    // '-' stands for the blanks in titles of parts, which a command line would have to quote.
    QString parts = view.section(QLatin1Char(':'), 1);
    parts.replace(QLatin1Char('-'), QLatin1Char(' '));
    GrabRequest request{view.section(QLatin1Char(':'), 0, 0), text.mid(equals + 1),
                        kindOf(text.mid(equals + 1)),
                        parts.split(QLatin1Char('+'), Qt::SkipEmptyParts)};
    if (!screens.contains(request.view))
        reportFrom(request.view); // throws for an unknown one
    return request;
}

bool needsProfile(const GrabRequest& request) {
    return !screens.contains(request.view) || request.view == QLatin1String("sweep") ||
           request.view == QLatin1String("profiles");
}

views::ThemeChoice themeFrom(const QString& text) {
    if (text == QLatin1String("dark"))
        return views::ThemeChoice::Dark;
    if (text == QLatin1String("light"))
        return views::ThemeChoice::Light;
    if (text == QLatin1String("system"))
        return views::ThemeChoice::System;
    throw UserError(
        fmt::format("unknown theme '{}': it can be dark, light or system", text.toStdString()));
}

QSize sizeFrom(const QString& text) {
    const QStringList parts = text.split(QLatin1Char('x'));
    const int width = parts.value(0).toInt();
    const int height = parts.value(1).toInt();
    if (parts.size() != 2 || width < 400 || height < 300 || width > 16000 || height > 16000)
        throw UserError(
            fmt::format("--size needs WIDTHxHEIGHT in pixels from 400x300 to 16000x16000, not '{}'",
                        text.toStdString()));
    return {width, height};
}

void parseOption(Arguments& arguments, const QString& option, Reader& reader) {
    if (option == QLatin1String("--grab")) {
        arguments.grabs.push_back(grabFrom(reader.value(option, "VIEW=FILE.png")));
        while (!reader.atEnd() && isGrab(reader.peek()))
            arguments.grabs.push_back(grabFrom(reader.next()));
    } else if (option == QLatin1String("--select")) {
        for (const SelectWish& wish :
             selectWishesFrom(reader.value(option, "a name or WHAT=NUMBER,...")))
            arguments.selected.push_back(wish);
    } else if (option == QLatin1String("--range")) {
        arguments.range = axisRangeFrom(reader.value(option, "FROM:TO"));
    } else if (option == QLatin1String("--compare")) {
        arguments.compareWith = reader.value(option, "a profile to compare with");
    } else if (option == QLatin1String("--check")) {
        arguments.check = true;
    } else if (option == QLatin1String("--theme")) {
        arguments.theme = themeFrom(reader.value(option, "dark, light or system"));
    } else if (option == QLatin1String("--size")) {
        arguments.size = sizeFrom(reader.value(option, "WIDTHxHEIGHT"));
    } else if (option == QLatin1String("--view")) {
        arguments.view = reader.value(option, "the name of a view");
        reportFrom(arguments.view);
    } else if (option == QLatin1String("--frame-times")) {
        arguments.frameTimes = true;
    } else if (option == QLatin1String("--exercise-frames")) {
        arguments.exerciseFrames = true;
    } else if (option == QLatin1String("--help") || option == QLatin1String("-h")) {
        arguments.help = true;
    } else if (option == QLatin1String("--version")) {
        arguments.version = true;
    } else {
        throw UserError(fmt::format("unknown option '{}'.{}", option.toStdString(),
                                    didYouMean(option.toStdString(), options)));
    }
}

/// Throws UserError unless all options can be combined.
void check(const Arguments& arguments) {
    const bool none = arguments.profiles.isEmpty();
    const bool several = arguments.profiles.size() > 2 && !arguments.tracesOfAHost;
    const bool onlyTable =
        std::all_of(arguments.grabs.begin(), arguments.grabs.end(),
                    [](const GrabRequest& grab) { return grab.view == QLatin1String("profiles"); });
    if (several && (!onlyTable || !arguments.selected.empty() || arguments.range ||
                    !arguments.view.isEmpty() || arguments.exerciseFrames))
        throw UserError("--view, --select, --range and --grab of a report need one profile, or a "
                        "source and a target; more are shown as a table");
    if (std::any_of(arguments.grabs.begin(), arguments.grabs.end(), needsProfile) && none)
        throw UserError("--grab needs a profile");
    if (arguments.exerciseFrames && none)
        throw UserError("--exercise-frames needs a profile");
    if (none && !arguments.selected.empty())
        throw UserError("--select needs a profile");
    if (none && (arguments.range || arguments.check))
        throw UserError(arguments.range ? "--range needs a profile" : "--check needs a profile");
    if (!arguments.range)
        return;
    for (const GrabRequest& grab : arguments.grabs)
        if (!screens.contains(grab.view))
            requireAxis(reportFrom(grab.view));
    if (arguments.grabs.empty())
        requireAxis(beginsWith(arguments));
}

/// The profile of --compare becomes the second one.
void addTarget(Arguments& arguments) {
    if (arguments.compareWith.isEmpty())
        return;
    if (arguments.profiles.isEmpty())
        throw UserError("--compare needs a PROFILE to compare TARGET with");
    if (arguments.profiles.size() > 1)
        throw UserError("--compare needs one PROFILE to compare TARGET with, not several");
    arguments.profiles.append(arguments.compareWith);
}

} // namespace

Report beginsWith(const Arguments& arguments) {
    if (!arguments.view.isEmpty())
        return reportFrom(arguments.view);
    return arguments.profiles.size() == 2 && !arguments.tracesOfAHost ? Report::Compare
                                                                      : Report::Summary;
}

Arguments parseArguments(const QStringList& list) {
    // "--theme=dark" is "--theme dark"; the value of --grab contains another '='.
    QStringList split;
    for (const QString& text : list) {
        const qsizetype equals = text.indexOf(QLatin1Char('='));
        if (text.startsWith(QLatin1String("--")) && equals > 0)
            split << text.left(equals) << text.mid(equals + 1);
        else
            split << text;
    }
    Arguments arguments;
    Reader reader(split);
    while (!reader.atEnd()) {
        const QString text = reader.next();
        if (text.startsWith(QLatin1Char('-')) && text.size() > 1)
            parseOption(arguments, text, reader);
        else
            arguments.profiles.append(text);
    }
    if (!arguments.help && !arguments.version) {
        addTarget(arguments);
        arguments.tracesOfAHost = areTracesOfAHost(arguments.profiles);
        check(arguments);
    }
    return arguments;
}

QString helpText() {
    return QCoreApplication::translate(
        "Arguments",
        "Usage: tilescope-gui [options] [PROFILE [TARGET]] | PROFILE PROFILE PROFILE...\n"
        "\n"
        "Opens profiles that 'tilescope run' wrote; with TARGET the two are compared; three\n"
        "and more are a table, of which any two can be compared. Traces of programs on the\n"
        "host (.pvti, .json), which one run wrote, are one profile. File,\n"
        "Copy link to this view gives the command line that opens what the window shows.\n"
        "\n"
        "Options:\n"
        "  --view VIEW                begin with this report\n"
        "  --select NAME              select this operation, variable, step, program or tensor:\n"
        "                             whatever the report in front is about\n"
        "  --select WHAT=NAME,...     or WHAT=NUMBER: tile, step, variable, operation, program,\n"
        "                             tensor, batch (of a pipeline), line (model.py:72: its\n"
        "                             operation with the most cycles)\n"
        "  --range FROM:TO            show this part: cycles of the trace, tiles of memory,\n"
        "                             steps of liveness, iterations of values\n"
        "  --compare TARGET           the same as TARGET after PROFILE\n"
        "  --check                    only check whether the window would open there\n"
        "  --grab VIEW=FILE.png ...   write pictures of reports and exit; needs no display; "
        "VIEW:PART\n"
        "                             brings tabs to the front and makes choices, such as\n"
        "                             memory:tile-map or trace:flat+details\n"
        "  --theme dark|light|system  colours\n"
        "  --size WIDTHxHEIGHT        size of the window (and of pictures)\n"
        "  --frame-times              print to standard error how long plots took to paint\n"
        "  --help, --version\n"
        "\n"
        "Views:\n"
        "  summary insights memory liveness programs operations trace pipeline values compare\n"
        "  query\n"
        "\n"
        "In pictures also:\n"
        "  home sweep run preferences help:PAGE palette profiles\n");
}

} // namespace tilescope::gui
