#include "app/gui/run/option_form.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QScrollBar>
#include <QShortcut>

#include "core/options/option_error.h"
#include "core/options/option_table.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {

OptionForm::OptionForm(QWidget* parent)
    : QWidget(parent)
    , search_(new QLineEdit)
    , onlyChanged_(new QCheckBox(tr("Only changed")))
    , scroll_(new QScrollArea) {
    search_->setPlaceholderText(tr("Search options"));
    search_->setAccessibleName(tr("Search options"));
    search_->setClearButtonEnabled(true);
    search_->setToolTip(tr("Options by their name, key, help or values (Ctrl+F, or / outside of a "
                           "field)"));
    for (const QKeySequence& keys : {QKeySequence(QKeySequence::Find), QKeySequence(Qt::Key_Slash)})
        connect(new QShortcut(keys, this), &QShortcut::activated, this, [this] {
            search_->setFocus();
            search_->selectAll();
        });
    scroll_->setWidget(makeGroups());
    scroll_->setWidgetResizable(true);
    scroll_->setAccessibleName(tr("Options"));
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* line = new QHBoxLayout;
    line->addWidget(search_, 1);
    line->addWidget(onlyChanged_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(line);
    layout->addWidget(scroll_, 1);
    connect(search_, &QLineEdit::textChanged, this, &OptionForm::filter);
    connect(onlyChanged_, &QCheckBox::toggled, this, &OptionForm::filter);
    check();
}

QWidget* OptionForm::makeGroups() {
    auto* all = new QWidget;
    auto* layout = new QVBoxLayout(all);
    layout->setContentsMargins(12, 6, 12, 10);
    layout->setSpacing(2);
    for (const OptionGroup& group : optionGroups()) {
        Group made{new QWidget, {}};
        auto* box = new QVBoxLayout(made.box);
        box->setContentsMargins(0, 6, 0, 6);
        box->setSpacing(0);
        QLabel* heading = views::textLabel(QString::fromStdString(group.title), "heading");
        box->addWidget(heading);
        for (const std::string& key : group.keys) {
            auto* editor = new OptionEditor(*findOption(key));
            box->addWidget(editor);
            made.editors.push_back(editor);
            connect(editor, &OptionEditor::edited, this, [this] {
                if (setting_)
                    return;
                check();
                emit edited();
            });
        }
        layout->addWidget(made.box);
        groups_.push_back(std::move(made));
    }
    layout->addStretch();
    return all;
}

std::map<std::string, std::string> OptionForm::changedValues() const {
    std::map<std::string, std::string> values;
    for (const Group& group : groups_)
        for (const OptionEditor* editor : group.editors)
            if (editor->changed())
                values[editor->spec().key] = editor->value();
    return values;
}

void OptionForm::setValues(const std::map<std::string, std::string>& values) {
    setting_ = true;
    for (const Group& group : groups_)
        for (OptionEditor* editor : group.editors) {
            const auto given = values.find(editor->spec().key);
            editor->setValue(given == values.end() ? std::string() : given->second);
        }
    setting_ = false;
    check();
    emit edited();
}

void OptionForm::setValue(const std::string& key, const std::string& value) {
    if (OptionEditor* found = editor(key))
        found->setValue(value);
}

OptionEditor* OptionForm::editor(const std::string& key) {
    for (const Group& group : groups_)
        for (OptionEditor* editor : group.editors)
            if (editor->spec().key == key)
                return editor;
    return nullptr;
}

bool OptionForm::showError(const QString& text, const std::string& key) {
    OptionEditor* named = editor(key);
    if (named == nullptr)
        return false;
    named->setProblem(text);
    focusOption(named->spec().key);
    return true;
}

void OptionForm::focusOption(const std::string& key) {
    OptionEditor* found = editor(key);
    if (found == nullptr)
        return;
    // A filter must not hide the requested option.
    if (!found->isVisibleTo(this)) {
        search_->clear();
        onlyChanged_->setChecked(false);
    }
    focused_ = found;
    found->focusEditor();
    scroll_->ensureWidgetVisible(found);
}

void OptionForm::scrollToStart() {
    if (focused_ == nullptr)
        scroll_->verticalScrollBar()->setValue(0);
    else
        scroll_->ensureWidgetVisible(focused_);
}

// An option made visible before the form had its size may be out of sight now, and the focus that
// a window gives its first field scrolls to that field.
void OptionForm::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    QMetaObject::invokeMethod(this, &OptionForm::scrollToStart, Qt::QueuedConnection);
}

void OptionForm::setFilter(const QString& text) {
    search_->setText(text);
}

// In the order of the table: the target is set before the number of its tiles is checked.
void OptionForm::check() {
    good_ = true;
    RunOptions options;
    for (const OptionSpec& spec : runOptionTable()) {
        OptionEditor* at = editor(spec.key);
        QString problem;
        if (at->changed())
            try {
                spec.set(options, at->value());
            } catch (const UserError& error) {
                problem = QString::fromUtf8(error.what());
                good_ = false;
            }
        at->setProblem(problem);
        at->setRange(optionRange(spec.key, options));
    }
    if (!good_)
        return;
    try {
        validate(options);
    } catch (const OptionError& error) {
        good_ = false;
        if (OptionEditor* at = editor(error.key()))
            at->setProblem(QString::fromUtf8(error.what()));
    }
}

void OptionForm::filter() {
    for (const Group& group : groups_) {
        bool any = false;
        for (OptionEditor* editor : group.editors) {
            const bool fits = editor->matches(search_->text()) &&
                              (!onlyChanged_->isChecked() || editor->changed());
            editor->setVisible(fits);
            any = any || fits;
        }
        group.box->setVisible(any);
    }
}

} // namespace tilescope::gui
