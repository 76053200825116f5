#include <QTest>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace fs = std::filesystem;

/// Who may include whom: core nothing of ours, simulator only core, views only core and Qt.
class IncludeDirectionTest : public QObject {
    Q_OBJECT

private slots:
    void foldersIncludeOnlyWhatTheyMay_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("forbidden");
        const char* qt = "<Q[A-Za-z0-9/]*>|<Qt|qcustomplot";
        QTest::newRow("core") << "core" << QString("\"(simulator|views|app|tests)/|%1").arg(qt);
        QTest::newRow("simulator") << "simulator" << QString("\"(views|app|tests)/|%1").arg(qt);
        QTest::newRow("views") << "views"
                               << "\"(simulator|app|tests)/";
        QTest::newRow("app/cli") << "app/cli" << QString("\"(views|app/gui|tests)/|%1").arg(qt);
        QTest::newRow("app/gui") << "app/gui"
                                 << "\"(simulator|app/cli|tests)/";
    }
    void foldersIncludeOnlyWhatTheyMay() {
        QFETCH(QString, folder);
        QFETCH(QString, forbidden);
        const fs::path root = fs::path(TILESCOPE_SOURCE_DIR) / folder.toStdString();
        const std::regex wrong("^\\s*#\\s*include\\s*(" + forbidden.toStdString() + ")");
        for (const auto& entry : fs::recursive_directory_iterator(root)) {
            if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp")
                continue;
            std::ifstream in(entry.path());
            std::string line;
            for (int number = 1; std::getline(in, line); ++number)
                QVERIFY2(
                    !std::regex_search(line, wrong),
                    (entry.path().string() + ":" + std::to_string(number) + ": " + line).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(IncludeDirectionTest)
#include "include_direction_test.moc"
