#include "tests/views/restless/key_press.h"

#include <QPointer>
#include <QtTest>
#include <array>
#include <utility>
#include <vector>

namespace tilescope::test {
namespace {

struct Stroke {
    int key;
    Qt::KeyboardModifiers with; ///< held by then
};

std::vector<Stroke> strokesOf(Qt::Key key, Qt::KeyboardModifiers with) {
    constexpr std::array held{std::pair{Qt::ShiftModifier, Qt::Key_Shift},
                              std::pair{Qt::ControlModifier, Qt::Key_Control},
                              std::pair{Qt::AltModifier, Qt::Key_Alt},
                              std::pair{Qt::MetaModifier, Qt::Key_Meta}};
    std::vector<Stroke> strokes;
    Qt::KeyboardModifiers before;
    for (const auto& [modifier, itsKey] : held)
        if (with & modifier) {
            strokes.push_back({itsKey, before});
            before |= modifier;
        }
    strokes.push_back({key, with});
    return strokes;
}

QString textOf(int key, char letter) {
    if (letter == 0)
        letter = QTest::keyToAscii(static_cast<Qt::Key>(key));
    return letter != 0 ? QString(QLatin1Char(letter)) : QString();
}

bool click(QWindow* window, Qt::Key key, Qt::KeyboardModifiers with, char letter) {
    const QPointer<QWindow> there(window);
    const std::vector<Stroke> strokes = strokesOf(key, with);
    const auto send = [&](const Stroke& stroke, bool press) {
        if (there)
            QTest::simulateEvent(there, press, stroke.key, stroke.with,
                                 stroke.key == key ? textOf(key, letter) : QString(), false);
    };
    for (const Stroke& stroke : strokes)
        send(stroke, true);
    for (auto stroke = strokes.rbegin(); stroke != strokes.rend(); ++stroke)
        send(*stroke, false);
    return there != nullptr;
}

} // namespace

void clickKey(QWindow& window, Qt::Key key, Qt::KeyboardModifiers with) {
    click(&window, key, with, 0);
}

void clickKeys(QWindow& window, const QKeySequence& keys) {
    QWindow* to = &window;
    for (int i = 0; i < keys.count(); ++i)
        if (!click(to, keys[static_cast<uint>(i)].key(),
                   keys[static_cast<uint>(i)].keyboardModifiers(), 0))
            return;
}

void typeText(QWindow& window, const char* text) {
    for (const char* letter = text; *letter != 0; ++letter)
        if (!click(&window, QTest::asciiToKey(*letter), {}, *letter))
            return;
}

} // namespace tilescope::test
