#include "views/execution/ipu_field.h"

#include <QLineEdit>
#include <QSignalBlocker>
#include <utility>

#include "views/execution/ipu_choice.h"

namespace tilescope::views {

IpuField::IpuField(QWidget* parent)
    : QComboBox(parent) {
    setAccessibleName(tr("IPU"));
    setToolTip(tr("The IPUs to show: all, one, or a list that you type, such as 0-3,8"));
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    setCompleter(nullptr);
    lineEdit()->setAccessibleName(tr("IPUs"));
    lineEdit()->setToolTip(toolTip());
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(4);
    setCount(0);
    connect(this, &QComboBox::currentIndexChanged, this, [this](int item) {
        if (item >= 0)
            take(itemText(item));
    });
    // With a typed list, the item below it is still the current one.
    connect(this, &QComboBox::activated, this, [this](int item) { take(itemText(item)); });
    connect(lineEdit(), &QLineEdit::editingFinished, this, [this] { take(currentText()); });
}

void IpuField::setCount(std::int32_t count) {
    const QSignalBlocker blocker(this);
    count_ = count;
    clear();
    addItem(tr("All"));
    for (std::int32_t ipu = 0; ipu < count; ++ipu)
        addItem(QString::number(ipu));
    setCurrentIndex(0);
    taken_ = currentText();
    ipus_ = {};
}

void IpuField::take(const QString& text) {
    if (text == taken_)
        return;
    const QString wanted = text.trimmed();
    const bool all = wanted.isEmpty() || wanted.compare(itemText(0), Qt::CaseInsensitive) == 0;
    const auto ipus = all ? IpuSet() : parseIpus(text, count_);
    if (!ipus) {
        emit refused(tr("'%1' is not a list of IPUs: write numbers below %2, such as 0-3,8.")
                         .arg(text)
                         .arg(count_));
        return;
    }
    taken_ = all ? itemText(0) : text;
    setEditText(taken_);
    emit refused({});
    if (std::exchange(ipus_, *ipus) != *ipus)
        emit chosen();
}

void IpuField::focusOutEvent(QFocusEvent* event) {
    QComboBox::focusOutEvent(event);
    setEditText(taken_); // a refused text is discarded
}

void IpuField::choose(std::int32_t ipu) {
    setCurrentIndex(ipu + 1);
    take(itemText(ipu + 1));
}

QJsonObject IpuField::keptState() const {
    return {{"ipus", taken_}};
}

void IpuField::setKeptState(const QJsonObject& state) {
    const QString text = state.value(QStringLiteral("ipus")).toString();
    if (const int item = findText(text); item >= 0)
        choose(item - 1);
    else if (!text.isEmpty() && parseIpus(text, count_))
        take(text);
}

} // namespace tilescope::views
