#include "app/gui/run/option_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace tilescope::gui {
namespace {

constexpr int titleWidth = 190;
constexpr int editorWidth = 210;

QString shown(const std::string& text) {
    return QString::fromStdString(text);
}

QString helpOf(const OptionSpec& spec) {
    QString help = shown(spec.help);
    if (const auto range = optionRange(spec.key, {}))
        help += QStringLiteral(" (%1)").arg(OptionEditor::tr("%1 to %2")
                                                .arg(QString::number(range->least, 'g', 10),
                                                     QString::number(range->most, 'g', 13)));
    return help;
}

} // namespace

OptionEditor::OptionEditor(const OptionSpec& spec, QWidget* parent)
    : QWidget(parent)
    , spec_(spec)
    , title_(new QLabel(titleOf(spec)))
    , problem_(new QLabel)
    , reset_(new QToolButton) {
    editor_ = makeEditor();
    editor_->setAccessibleName(titleOf(spec));
    editor_->setAccessibleDescription(helpOf(spec));
    editor_->setFixedWidth(editorWidth);
    const QString tip = QStringLiteral("%1 (%2)").arg(shown(spec.flag), shown(spec.key));
    editor_->setToolTip(tip);
    title_->setToolTip(tip);
    title_->setBuddy(editor_);
    title_->setFixedWidth(titleWidth);
    auto* help = new QLabel(helpOf(spec));
    help->setObjectName(QStringLiteral("muted"));
    help->setTextFormat(Qt::PlainText);
    help->setWordWrap(true);
    problem_->setObjectName(QStringLiteral("error"));
    problem_->setTextFormat(Qt::PlainText);
    problem_->setWordWrap(true);
    problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
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
    grid->addWidget(help, 0, 3);
    grid->addWidget(problem_, 1, 1, 1, 3);
    connect(reset_, &QToolButton::clicked, this, [this] {
        setValue({});
        emit edited();
    });
    setValue({});
}

QString OptionEditor::titleOf(const OptionSpec& spec) {
    QString name = shown(spec.flag).mid(2).replace(QLatin1Char('-'), QLatin1Char(' '));
    name.replace(QStringLiteral("ipu"), QStringLiteral("IPU"))
        .replace(QStringLiteral("io "), QStringLiteral("I/O "));
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
        // No choice is one too where the table has no default.
        if (spec_.defaultValue.empty())
            choice_->addItem(tr("not set"), QString());
        for (const std::string& text : spec_.choices)
            choice_->addItem(shown(text), shown(text));
        // Who scrolls the form does not want to change what is under the pointer.
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
    else if (choice_ != nullptr)
        choice_->setCurrentIndex(std::max(0, choice_->findData(shown(value))));
    else
        field_->setText(value == spec_.defaultValue ? QString() : shown(value));
    valueEdited();
}

bool OptionEditor::changed() const {
    return value() != spec_.defaultValue;
}

void OptionEditor::setProblem(const QString& text) {
    problem_->setText(text);
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
