// The ledger: each figure is what this build computes, near what is published, and what README.md
// and the manual quote. `tilescope_fidelity --rewrite-ledger` puts today's figures in all three.
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <map>
#include <set>

#include "core/base/error.h"
#include "ledger_runs.h"
#include "tests/support/test_main.h"

namespace ledger_test {
using namespace tilescope;
using namespace tilescope::fidelity;

namespace {

const std::filesystem::path source = TILESCOPE_SOURCE_DIR;
const std::filesystem::path file = source / "tests/fidelity/ledger.csv";

const std::vector<LedgerRow>& ledger() {
    static const std::vector<LedgerRow> rows = readLedger(file);
    return rows;
}

std::string readAll(const std::filesystem::path& path) {
    QFile in(QString::fromStdString(path.string()));
    return in.open(QIODevice::ReadOnly) ? in.readAll().toStdString() : std::string();
}

QByteArray lines(const QStringList& faults) {
    return "\n" + faults.join('\n').toUtf8();
}

void addIfAny(QStringList& faults, const std::string& fault) {
    if (!fault.empty())
        faults.append(QString::fromStdString(fault));
}

} // namespace

class LedgerTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        for (const char* variable :
             {"POPLAR_ENGINE_OPTIONS", "POPLAR_LOG_LEVEL", "POPLIBS_LOG_LEVEL"})
            qunsetenv(variable);
    }

    void oursIsWhatIsComputed() {
        const QTemporaryDir scratch;
        LedgerRuns runs(source, TILESCOPE_SHARED_DIR, scratch.path().toStdString());
        QStringList faults;
        int left = 0;
        for (const LedgerRow& row : ledger()) {
            const auto ours = runs.figure(row);
            left += ours ? 0 : 1;
            if (ours && *ours != row.ours)
                faults.append(QString("%1: %2 is computed, the ledger has %3")
                                  .arg(row.id.c_str(), ours->c_str(), row.ours.c_str()));
        }
        if (left > 0)
            qInfo("left out: %d rows of published tables that are not there", left);
        QVERIFY2(faults.isEmpty(), lines(faults));
    }

    void oursIsNearWhatIsPublished() {
        QStringList faults;
        for (const LedgerRow& row : ledger())
            addIfAny(faults, disagreement(row));
        QVERIFY2(faults.isEmpty(), lines(faults));
    }

    void documentsQuoteTheLedger() {
        std::map<std::string, std::string> documents;
        QStringList faults;
        for (const LedgerRow& row : ledger()) {
            if (!documents.contains(row.place))
                documents[row.place] = readAll(source / row.place);
            addIfAny(faults, misquotation(row, documents[row.place]));
        }
        QVERIFY2(faults.isEmpty(), lines(faults));
    }

    void rowsAreComplete() {
        std::set<std::string> ids;
        for (const LedgerRow& row : ledger()) {
            QVERIFY2(ids.insert(row.id).second, row.id.c_str());
            QVERIFY2(!row.run.empty() && !row.figure.empty() && !row.ours.empty(), row.id.c_str());
            QVERIFY2(row.published.empty() == row.tolerance.empty(), row.id.c_str());
            QVERIFY2(row.published.empty() || !row.source.empty(), row.id.c_str());
            QVERIFY2(row.text.empty() || !row.place.empty(), row.id.c_str());
        }
    }

    void rewritingKeepsTheFile() {
        const QTemporaryDir scratch;
        const std::filesystem::path copy = scratch.filePath("ledger.csv").toStdString();
        writeLedger(copy, ledger());
        QCOMPARE(readAll(copy), readAll(file));
    }

    void aMovedFigureIsAFault() {
        LedgerRow row;
        row.published = "1,000";
        row.ours = "1,100";
        row.tolerance = "0.05";
        QVERIFY(!disagreement(row).empty());
        row.tolerance = "0.2";
        QCOMPARE(disagreement(row), std::string());
        row.ours = "no";
        QVERIFY(!disagreement(row).empty());
        row.tolerance = "-";
        QCOMPARE(disagreement(row), std::string());
    }

    /// A document's lines break where they like, and 12 is no part of 1,112.
    void quotationsAreFoundAndRewritten() {
        LedgerRow row;
        row.place = "README.md";
        row.ours = "12";
        row.text = "takes 1,112 or 12 cycles";
        std::string document = "It takes 1,112\nor 12 cycles.";
        QCOMPARE(misquotation(row, document), std::string());
        QVERIFY(!misquotation(row, "It takes 1,112 or 13 cycles.").empty());
        requote(row, "1,234", document);
        QCOMPARE(document, std::string("It takes 1,112\nor 1,234 cycles."));
        QCOMPARE(row.text, std::string("takes 1,112 or 1,234 cycles"));
        row.ours = "99";
        QVERIFY(!misquotation(row, document).empty());
        // A table of the document that is what the command prints.
        row.text = "";
        row.figure = "\\| conv \\| ([\\d.]+) \\|";
        document = "| conv | 99 | 99 |";
        QCOMPARE(misquotation(row, document), std::string());
        requote(row, "7", document);
        QCOMPARE(document, std::string("| conv | 7 | 99 |"));
    }
};

TILESCOPE_TEST(LedgerTest, QCoreApplication)

} // namespace ledger_test

#include "ledger_test.moc"
