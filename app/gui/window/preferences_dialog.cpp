#include "app/gui/window/preferences_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPainter>
#include <functional>

#include "views/widgets/painted_widget.h"

namespace tilescope::gui {
namespace {

constexpr int margin = 10;
constexpr int barHeight = 18;
constexpr int gap = 4;
constexpr int exampleWidth = 520;

/// A piece of a trace, two curves and a bar of memory in the current colours, each labelled.
class PaletteExample : public views::PaintedWidget {
public:
    explicit PaletteExample(views::ViewContext& context, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    struct Sample {
        QString name;
        QColor colour;
        double share = 0; ///< of the row
    };
    [[nodiscard]] std::vector<std::vector<Sample>> rows() const;
    [[nodiscard]] int rowHeight() const;
};

PaletteExample::PaletteExample(views::ViewContext& context, QWidget* parent)
    : views::PaintedWidget(context, parent) {
    setAccessibleName(tr("Example of the colours"));
}

// The shares are arbitrary, chosen so that names fit their boxes.
std::vector<std::vector<PaletteExample::Sample>> PaletteExample::rows() const {
    const auto kind = [&](ProgramKind kind) { return theme().kind(kind); };
    return {{{tr("Source"), theme().source, 0.5}, {tr("Target"), theme().target, 0.5}},
            {{tr("Compute"), kind(ProgramKind::OnTileExecute), 0.28},
             {tr("Exchange"), kind(ProgramKind::DoExchange), 0.24},
             {tr("Sync"), kind(ProgramKind::Sync), 0.14},
             {tr("Host"), kind(ProgramKind::StreamCopyMid), 0.14},
             {tr("Other IPUs"), kind(ProgramKind::GlobalExchange), 0.2}},
            {{tr("Variables"), theme().category(MemoryCategory::Variable), 0.34},
             {tr("Vertex code"), theme().category(MemoryCategory::VertexCode), 0.24},
             {tr("State"), theme().category(MemoryCategory::VertexInstanceState), 0.16},
             {tr("Exchange code"), theme().category(MemoryCategory::InternalExchangeCode), 0.26}}};
}

int PaletteExample::rowHeight() const {
    return std::max(barHeight, fontMetrics().height() + 6) + gap;
}

QSize PaletteExample::sizeHint() const {
    return {exampleWidth, 3 * rowHeight() + 2 * margin - gap};
}

void PaletteExample::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(theme().border);
    painter.setBrush(theme().surface);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    int y = margin;
    for (const std::vector<Sample>& row : rows()) {
        double x = margin;
        const double whole = width() - 2 * margin;
        for (const Sample& sample : row) {
            const QRectF box(x, y, sample.share * whole - 1, rowHeight() - gap);
            painter.fillRect(box, sample.colour);
            painter.setPen(views::Theme::textOn(sample.colour));
            painter.drawText(box, Qt::AlignCenter, sample.name);
            x += sample.share * whole;
        }
        y += rowHeight();
    }
}

template <class Value>
void addChoice(QFormLayout& form, const QString& name,
               const std::vector<std::pair<QString, Value>>& choices, Value current,
               std::function<void(Value)> choose) {
    auto* box = new QComboBox;
    box->setAccessibleName(QString(name).remove(QLatin1Char('&')));
    for (const auto& [text, value] : choices) {
        box->addItem(text);
        if (value == current)
            box->setCurrentIndex(box->count() - 1);
    }
    QObject::connect(box, &QComboBox::activated, box,
                     [choices, choose](int at) { choose(choices[at].second); });
    form.addRow(name, box);
}

} // namespace

PreferencesDialog::PreferencesDialog(views::ViewContext& context, QWidget* parent)
    : QDialog(parent) {
    views::Preferences& preferences = context.preferences;
    setWindowTitle(tr("Preferences"));
    auto* form = new QFormLayout(this);
    form->setContentsMargins(18, 16, 18, 14);
    form->setVerticalSpacing(10);
    form->setHorizontalSpacing(16);
    addChoice<views::ThemeChoice>(*form, tr("&Theme"),
                                  {{tr("As the system"), views::ThemeChoice::System},
                                   {tr("Light"), views::ThemeChoice::Light},
                                   {tr("Dark"), views::ThemeChoice::Dark}},
                                  preferences.theme(),
                                  [&](views::ThemeChoice choice) { preferences.setTheme(choice); });
    addChoice<views::DataColours>(
        *form, tr("&Colours of data"),
        {{tr("Okabe and Ito"), views::DataColours::OkabeIto},
         {tr("Blue, orange and grey (Tableau Color Blind 10)"), views::DataColours::Tableau},
         {tr("Muted (Paul Tol)"), views::DataColours::TolMuted}},
        preferences.dataColours(),
        [&](views::DataColours colours) { preferences.setDataColours(colours); });
    form->addRow(new PaletteExample(context));
    addChoice<ByteUnits>(*form, tr("Memory &units"),
                         {{tr("KiB, MiB (1024)"), ByteUnits::Binary},
                          {tr("kB, MB (1000)"), ByteUnits::Si},
                          {tr("Bytes"), ByteUnits::Plain}},
                         preferences.byteUnits(),
                         [&](ByteUnits units) { preferences.setByteUnits(units); });
    addChoice<ClockUnits>(
        *form, tr("&Durations"),
        {{tr("Cycles, and time at the target's clock"), ClockUnits::CyclesAndTime},
         {tr("Cycles"), ClockUnits::Cycles},
         {tr("Time at the target's clock"), ClockUnits::Time}},
        preferences.clockUnits(), [&](ClockUnits units) { preferences.setClockUnits(units); });
    auto* reload = new QCheckBox(tr("&Read an open profile again when its file is written anew"));
    reload->setChecked(preferences.reloadsByItself());
    connect(reload, &QCheckBox::toggled, this,
            [&](bool on) { preferences.setReloadsByItself(on); });
    auto* restore = new QCheckBox(tr("&Begin with what was open last time"));
    restore->setChecked(preferences.restoresSession());
    connect(restore, &QCheckBox::toggled, this,
            [&](bool on) { preferences.setRestoresSession(on); });
    auto* editor = new QLineEdit(preferences.editor());
    editor->setAccessibleName(tr("Editor"));
    editor->setPlaceholderText(tr("code --goto {file}:{line}"));
    editor->setToolTip(tr("The command that opens a line of your program from Operations, Source; "
                          "it is started without a shell"));
    connect(editor, &QLineEdit::textChanged, this,
            [&](const QString& command) { preferences.setEditor(command.trimmed()); });
    form->addRow(tr("&Editor"), editor);
    form->addRow(reload);
    form->addRow(restore);
    auto* buttons = new QDialogButtonBox;
    buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    form->addRow(buttons);
}

} // namespace tilescope::gui
