#include "app/gui/run/option_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QLineEdit>

#include "core/base/units.h"
#include "core/options/option_table.h"
#include "core/target/target_file.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {
namespace {

constexpr int titleWidth = 190;
constexpr int editorWidth = 210;

QString shown(const std::string& text) {
    return QString::fromStdString(text);
}

QString boundText(double value) {
    constexpr double firstWithThousands = 1000;
    return value < firstWithThousands ? QString::number(value)
                                      : shown(withThousands(static_cast<std::int64_t>(value)));
}

} // namespace

OptionEditor::OptionEditor(const OptionSpec& spec, QWidget* parent)
    : QWidget(parent)
    , spec_(spec)
    , title_(new QLabel(titleOf(spec)))
    , help_(new views::WrappedLabel)
    , problem_(views::wrappedLabel({}, "error"))
    , reset_(new QToolButton) {
    editor_ = makeEditor();
    editor_->setAccessibleName(titleOf(spec));
    editor_->setFixedWidth(editorWidth);
    const QString tip = QStringLiteral("%1 (%2)").arg(shown(spec.flag), shown(spec.key));
    editor_->setToolTip(tip);
    title_->setToolTip(tip);
    title_->setBuddy(editor_);
    title_->setFixedWidth(titleWidth);
    title_->setWordWrap(true);
    help_->setObjectName(QStringLiteral("muted"));
    help_->setTextFormat(Qt::PlainText);
    setRange(optionRange(spec.key, {}));
    problem_->setTextFormat(Qt::PlainText);
    problem_->hide();
    reset_->setText(tr("Reset"));
    reset_->setToolTip(tr("Back to the default"));
    reset_->setAccessibleName(tr("Reset %1").arg(titleOf(spec)));
    QSizePolicy room = reset_->sizePolicy();
    room.setRetainSizeWhenHidden(true);
    reset_->setSizePolicy(room);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 4, 0, 4);
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(3, 1);
    grid->addWidget(title_, 0, 0);
    grid->addWidget(editor_, 0, 1);
    grid->addWidget(reset_, 0, 2);
    grid->addWidget(help_, 0, 3);
    grid->addWidget(problem_, 1, 1, 1, 3);
    connect(reset_, &QToolButton::clicked, this, [this] {
        setValue({});
        emit edited();
    });
    setValue({});
}

QString OptionEditor::titleOf(const OptionSpec& spec) {
    QString name = shown(spec.flag).mid(2).replace(QLatin1Char('-'), QLatin1Char(' '));
    // Proper names and abbreviations.
    name.replace(QStringLiteral("ipu model"), QStringLiteral("IPU Model"))
        .replace(QStringLiteral("ipu"), QStringLiteral("IPU"))
        .replace(QStringLiteral("io "), QStringLiteral("I/O "))
        .replace(QStringLiteral("fp "), QStringLiteral("FP "));
    return name.left(1).toUpper() + name.mid(1);
}

QWidget* OptionEditor::makeEditor() {
    if (spec_.type == OptionSpec::Type::Flag) {
        check_ = new QCheckBox(tr("on"));
        connect(check_, &QCheckBox::toggled, this, &OptionEditor::valueEdited);
        return check_;
    }
    if (spec_.type == OptionSpec::Type::Choice) {
        choice_ = new QComboBox;
        // Without a default in the table, making no choice is possible too.
        if (spec_.defaultValue.empty())
            choice_->addItem(tr("not set"), QString());
        for (const std::string& text : spec_.choices)
            choice_->addItem(shown(text), shown(text));
        // Scrolling the form must not change the choice under the pointer.
        choice_->setFocusPolicy(Qt::StrongFocus);
        choice_->installEventFilter(this);
        connect(choice_, &QComboBox::currentIndexChanged, this, &OptionEditor::valueEdited);
        return choice_;
    }
    field_ = new QLineEdit;
    field_->setPlaceholderText(spec_.defaultValue.empty() ? tr("not set")
                                                          : shown(spec_.defaultValue));
    connect(field_, &QLineEdit::textChanged, this, &OptionEditor::valueEdited);
    return field_;
}

std::string OptionEditor::value() const {
    if (check_ != nullptr)
        return check_->isChecked() ? "on" : "off";
    const QString text =
        choice_ != nullptr ? choice_->currentData().toString() : field_->text().trimmed();
    return text.isEmpty() ? spec_.defaultValue : text.toStdString();
}

void OptionEditor::setValue(const std::string& given) {
    const std::string& value = given.empty() ? spec_.defaultValue : given;
    if (check_ != nullptr)
        check_->setChecked(value == "on");
    else if (choice_ != nullptr) {
        // A target may be a file of the user's.
        if (isTargetFile(value) && choice_->findData(shown(value)) < 0)
            choice_->addItem(shown(value), shown(value));
        choice_->setCurrentIndex(std::max(0, choice_->findData(shown(value))));
    } else
        field_->setText(value == spec_.defaultValue ? QString() : shown(value));
    valueEdited();
}

void OptionEditor::setRange(const std::optional<OptionRange>& range) {
    QString help = shown(spec_.help);
    // Bounds this large only keep numbers within their types.
    constexpr double noLimit = 1e9;
    if (range && range->most >= noLimit)
        help += QStringLiteral(" (%1)").arg(tr("%1 or more").arg(boundText(range->least)));
    else if (range)
        help += QStringLiteral(" (%1)").arg(
            tr("%1 to %2").arg(boundText(range->least), boundText(range->most)));
    help_->setText(help);
    editor_->setAccessibleDescription(help);
}

void OptionEditor::setProblem(const QString& text) {
    const QString name = shown(spec_.flag) + QStringLiteral("): ");
    const qsizetype at = text.indexOf(name);
    problem_->setText(at < 0 ? text : text.mid(at + name.size()));
    problem_->setVisible(!text.isEmpty());
}

QString OptionEditor::problem() const {
    return problem_->text();
}

void OptionEditor::setPlaceholder(const QString& text) {
    if (field_ != nullptr)
        field_->setPlaceholderText(text);
}

bool OptionEditor::matches(const QString& text) const {
    QStringList all{titleOf(spec_), shown(spec_.flag), shown(spec_.key), shown(spec_.help)};
    for (const std::string& choice : spec_.choices)
        all << shown(choice);
    return all.join(QLatin1Char('\n')).contains(text.trimmed(), Qt::CaseInsensitive);
}

void OptionEditor::focusEditor() {
    editor_->setFocus();
    if (field_ != nullptr)
        field_->selectAll();
}

void OptionEditor::valueEdited() {
    reset_->setVisible(changed());
    QFont font = title_->font();
    font.setBold(changed());
    title_->setFont(font);
    emit edited();
}

bool OptionEditor::eventFilter(QObject* watched, QEvent* event) {
    if (watched == choice_ && event->type() == QEvent::Wheel && !choice_->hasFocus()) {
        event->ignore();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace tilescope::gui
