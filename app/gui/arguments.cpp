#include "app/gui/arguments.h"

#include <QCoreApplication>
#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "app/gui/window/reports.h"
#include "core/base/error.h"
#include "core/base/suggest.h"

namespace tilescope::gui {
namespace {

const std::vector<std::string> options{"--grab", "--select", "--theme",       "--size",   "--view",
                                       "--help", "-h",       "--frame-times", "--version"};

// The value of an option, which may follow it or come after '='.
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

GrabRequest grabFrom(const QString& text) {
    const qsizetype equals = text.indexOf(QLatin1Char('='));
    if (equals < 1 || equals + 1 == text.size())
        throw UserError(fmt::format("--grab needs VIEW=FILE.png, not '{}'", text.toStdString()));
    const QString view = text.left(equals);
    // Titles of parts have blanks, which a command line would have to quote.
    QString parts = view.section(QLatin1Char(':'), 1);
    parts.replace(QLatin1Char('-'), QLatin1Char(' '));
    GrabRequest request{view.section(QLatin1Char(':'), 0, 0), text.mid(equals + 1),
                        parts.split(QLatin1Char('+'), Qt::SkipEmptyParts)};
    if (!screens.contains(request.view))
        reportFrom(request.view); // throws for an unknown one
    return request;
}

void select(views::Selected& selected, const QString& text) {
    const QString what = text.section(QLatin1Char('='), 0, 0);
    bool good = false;
    const int id = text.section(QLatin1Char('='), 1).toInt(&good);
    if (!good || id < 0)
        throw UserError(fmt::format("--select needs WHAT=NUMBER, such as tile=5, not '{}'",
                                    text.toStdString()));
    if (what == QLatin1String("tile"))
        selected.tiles.emplace_back(id);
    else if (what == QLatin1String("step"))
        selected.step = StepId(id);
    else if (what == QLatin1String("variable"))
        selected.variable = VariableId(id);
    else if (what == QLatin1String("operation"))
        selected.operation = OperationId(id);
    else if (what == QLatin1String("program"))
        selected.program = ProgramId(id);
    else if (what == QLatin1String("tensor"))
        selected.tensor = ValueTensorId(id);
    else
        throw UserError(fmt::format("--select cannot select '{}': it can be tile, step, variable, "
                                    "operation, program or tensor",
                                    what.toStdString()));
}

bool needsProfile(const GrabRequest& request) {
    return !screens.contains(request.view) || request.view == QLatin1String("sweep");
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
        for (const QString& each : reader.value(option, "WHAT=NUMBER,...").split(QLatin1Char(',')))
            select(arguments.selected, each);
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

} // namespace

Arguments parseArguments(const QStringList& list) {
    // "--theme=dark" is "--theme dark"; the value of a grab has an '=' of its own.
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
    if (arguments.profiles.size() > 2)
        throw UserError("at most two profiles can be open: a source and a target");
    if (std::any_of(arguments.grabs.begin(), arguments.grabs.end(), needsProfile) &&
        arguments.profiles.isEmpty() && !arguments.help && !arguments.version)
        throw UserError("--grab needs a profile");
    if (arguments.exerciseFrames && arguments.profiles.isEmpty())
        throw UserError("--exercise-frames needs a profile");
    return arguments;
}

QString helpText() {
    return QCoreApplication::translate(
        "Arguments",
        "Usage: tilescope-gui [options] [PROFILE [TARGET]]\n"
        "\n"
        "Opens profiles that 'tilescope run' wrote; with TARGET the two are compared.\n"
        "\n"
        "Options:\n"
        "  --view VIEW                begin with this report\n"
        "  --grab VIEW=FILE.png ...   write pictures of reports and exit; needs no display; "
        "VIEW:PART\n"
        "                             brings tabs to the front and makes choices, such as\n"
        "                             memory:tile-map or trace:flat+details\n"
        "  --select WHAT=NUMBER,...   what is selected in pictures: tile, step, variable, "
        "operation,\n"
        "                             program, tensor\n"
        "  --theme dark|light|system  colours\n"
        "  --size WIDTHxHEIGHT        size of the window (and of pictures)\n"
        "  --frame-times              print how long plots took to paint to standard error\n"
        "  --help, --version\n"
        "\n"
        "Views:\n"
        "  summary insights memory liveness programs operations trace pipeline values compare\n"
        "  query\n"
        "\n"
        "In pictures also:\n"
        "  home sweep run preferences help:PAGE palette\n");
}

} // namespace tilescope::gui
