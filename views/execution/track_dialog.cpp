#include "views/execution/track_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>

#include "views/sql/sql_editor.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

constexpr const char* firstQuery = "SELECT start AS cycles, cycles AS value\nFROM runs";

} // namespace

TrackDialog::TrackDialog(ViewContext& context, QWidget* parent)
    : QDialog(parent)
    , name_(new QLineEdit)
    , editor_(new SqlEditor(context.theme)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Track from a query"));
    resize(560, 340);
    name_->setMaxLength(60);
    name_->setText(tr("My track"));
    name_->setAccessibleName(tr("Name of the track"));
    editor_->setAccessibleName(tr("Query of the track"));
    editor_->setPlainText(QString::fromLatin1(firstQuery));
    auto* saved = new QComboBox;
    saved->setAccessibleName(tr("Saved queries"));
    saved->addItem(tr("Saved queries…"));
    for (const QueryBook::Saved& query : context.queries.saved())
        saved->addItem(query.name, query.sql);
    saved->setEnabled(saved->count() > 1);
    connect(saved, &QComboBox::activated, this, [this, saved](int at) {
        if (at <= 0)
            return;
        editor_->replaceText(saved->itemData(at).toString());
        name_->setText(saved->itemText(at));
    });
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    add_ = buttons->addButton(tr("Add"), QDialogButtonBox::AcceptRole);
    auto* form = new QFormLayout(this);
    form->addRow(tr("Name"), name_);
    form->addRow(tr("From"), saved);
    form->addRow(tr("Query"), editor_);
    form->addRow(
        wrappedLabel(tr("Two columns: cycles from the start of the first run, and a value, "
                        "which holds until the next one. The query only reads; it is kept "
                        "with the profile's marks."),
                     "muted"));
    form->addRow(buttons);
    const auto check = [this] {
        add_->setEnabled(!name_->text().trimmed().isEmpty() &&
                         !editor_->toPlainText().trimmed().isEmpty());
    };
    connect(name_, &QLineEdit::textChanged, this, check);
    connect(editor_, &QPlainTextEdit::textChanged, this, check);
    const auto accepted = [this] {
        if (!add_->isEnabled())
            return;
        emit wanted({name_->text().trimmed(), editor_->toPlainText().trimmed()});
        accept();
    };
    connect(buttons, &QDialogButtonBox::accepted, this, accepted);
    connect(editor_, &SqlEditor::runWanted, this, accepted);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(&context.workers, &Workers::profilesLeft, this, &QDialog::reject);
    name_->selectAll();
}

} // namespace tilescope::views
