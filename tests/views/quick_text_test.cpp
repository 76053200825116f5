// Texts drawn without layout look like those with it, and stay in their room.
#include <QtTest>

#include "tests/support/test_main.h"
#include "views/plot/quick_text.h"

namespace quick_text_test {
using namespace tilescope::views;

namespace {

constexpr int height = 20;
constexpr std::size_t fewest = 2;

QImage blank() {
    QImage image(300, height, QImage::Format_RGB32);
    image.fill(Qt::white);
    return image;
}

/// Columns [first, end) that are not white.
struct Inked {
    int first = 0;
    int end = 0;
    [[nodiscard]] int width() const { return end - first; }
};
Inked inked(const QImage& image) {
    Inked columns;
    for (int x = 0; x < image.width(); ++x)
        for (int y = 0; y < image.height(); ++y)
            if (image.pixel(x, y) != QColor(Qt::white).rgb()) {
                if (columns.end == 0)
                    columns.first = x;
                columns.end = x + 1;
            }
    return columns;
}

Inked drawn(const QRect& room, std::string_view text, Qt::TextElideMode elide) {
    QImage image = blank();
    QPainter painter(&image);
    QuickText(QGuiApplication::font()).draw(painter, room, text, elide, fewest);
    painter.end();
    return inked(image);
}

} // namespace

class QuickTextTest : public QObject {
    Q_OBJECT
private slots:
    void textsAreWhereTheyWouldBe_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("plain") << "layer7/attention/Convolve_3x3";
        QTest::newRow("beyond ASCII") << QString::fromUtf8("Schicht \u00fc \u6f22");
    }
    void textsAreWhereTheyWouldBe() {
        QFETCH(QString, text);
        const QRect room(20, 0, 270, height);
        QImage image = blank();
        QPainter painter(&image);
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
        painter.end();
        const Inked wanted = inked(image);
        const Inked got = drawn(room, text.toStdString(), Qt::ElideRight);
        QVERIFY(wanted.width() > 50);
        QVERIFY(std::abs(got.first - wanted.first) <= 1);
        QVERIFY(std::abs(got.end - wanted.end) <= 4); // kerning
    }

    void whatHasNoRoomIsLeftOut() {
        const std::string name = "layer7/attention/Convolve";
        const QRect room(100, 0, 60, height);
        for (const Qt::TextElideMode elide : {Qt::ElideLeft, Qt::ElideRight}) {
            const Inked got = drawn(room, name, elide);
            QVERIFY(got.first >= room.left() - 1 && got.end <= room.right() + 2);
            QVERIFY(got.width() > room.width() / 2);
        }
    }

    void aLetterAndDotsAreNotDrawn() {
        QCOMPARE(drawn(QRect(100, 0, 14, height), "MMMMMM", Qt::ElideRight).width(), 0);
        QVERIFY(drawn(QRect(100, 0, 40, height), "M", Qt::ElideRight).width() > 0);
        QCOMPARE(drawn(QRect(100, 0, 40, height), "", Qt::ElideRight).width(), 0);
    }
};

TILESCOPE_TEST(QuickTextTest, QApplication)

} // namespace quick_text_test

#include "quick_text_test.moc"
