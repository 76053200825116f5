#include "app/gui/window/preferences_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <functional>

#include "app/gui/window/palette_example.h"

namespace tilescope::gui {
namespace {

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
    form->addRow(reload);
    form->addRow(restore);
    auto* buttons = new QDialogButtonBox;
    buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    form->addRow(buttons);
}

} // namespace tilescope::gui
