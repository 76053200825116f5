// Each group of tables on its own: its description of its tables, and files from before it.
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/store/schema.h"
#include "core/store/table_group.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace table_groups_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

namespace {

/// "TABLE copies" or "VIEW copy_info", last first, so that views go before what they need.
QStringList madeBy(const TableGroup& group) {
    static const QRegularExpression create("^CREATE ((?:TABLE|VIEW) \\w+)",
                                           QRegularExpression::MultilineOption);
    QStringList made;
    auto matches = create.globalMatch(text(std::string(group.create)));
    while (matches.hasNext())
        made.prepend(matches.next().captured(1));
    return made;
}

} // namespace

class TableGroupsTest : public QObject {
    Q_OBJECT

private slots:
    void everyTableSaysWhatItHolds() {
        const QString schema = text(profileSchemaSql());
        for (const TableGroup& group : tableGroups())
            for (const QString& made : madeBy(group)) {
                const QRegularExpression documented("^--[^\\n]*\\nCREATE " + made + "\\b",
                                                    QRegularExpression::MultilineOption);
                QVERIFY2(documented.match(schema).hasMatch(), qPrintable(made));
            }
    }

    void aGroupIsNoNewerThanTheSchema() {
        for (const TableGroup& group : tableGroups())
            QVERIFY2(group.since >= 1 && group.since <= profileSchemaVersion,
                     qPrintable(madeBy(group).value(0)));
    }

    // Like files from before the group: its lists are empty, all others are complete.
    void filesFromBeforeAGroupOpen_data() {
        QTest::addColumn<int>("at");
        for (std::size_t i = 0; i < tableGroups().size(); ++i)
            if (tableGroups()[i].since > 1)
                QTest::newRow(qPrintable(madeBy(tableGroups()[i]).last())) << static_cast<int>(i);
    }
    void filesFromBeforeAGroupOpen() {
        QFETCH(int, at);
        const std::int64_t since = tableGroups()[static_cast<std::size_t>(at)].since;
        const QTemporaryDir directory;
        const fs::path file = fs::path(directory.path().toStdString()) / "old.pop";
        const Profile profile = sampleProfile({.withCopy = true});
        writeProfile(profile, file);
        QString drop;
        for (const TableGroup& group : tableGroups())
            if (group.since >= since)
                for (const QString& made : madeBy(group))
                    drop += "DROP " + made + ";";
        drop += QStringLiteral("PRAGMA user_version = %1").arg(since - 1);
        if (since <= 8)
            drop.prepend(text(toSchemaVersion7()));
        QCOMPARE(text(changeProfile(file, drop.toStdString())), "");
        const Profile old = ProfileReader(file).load();
        QCOMPARE(old.variables.size(), profile.variables.size());
        QCOMPARE(old.programs.size(), profile.programs.size());
        QCOMPARE(old.tileMemory.size(), profile.tileMemory.size());
        QCOMPARE(old.trace.bodies.size(), profile.trace.bodies.size());
        QCOMPARE(old.copies.empty(), since <= 2);
        QVERIFY(since > 6 || old.hostSpans.empty());
        QVERIFY(old.values.empty());
    }
};

TILESCOPE_TEST(TableGroupsTest)

} // namespace table_groups_test

#include "table_groups_test.moc"
