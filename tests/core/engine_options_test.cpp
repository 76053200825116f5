// What each engine option does here, and the notes on those without an effect.
#include <QTest>

#include <algorithm>

#include "core/options/engine_options.h"
#include "core/options/option_notes.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace engine_options_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

EngineOptions with(const std::string& key, const std::string& value) {
    EngineOptions options;
    options.given[key] = value;
    return options;
}

QString noteOf(const std::string& key, const std::string& value) {
    const std::vector<OptionNote> notes = engineOptionNotes(with(key, value));
    return notes.empty() ? QString() : text(notes.front().text);
}

} // namespace

class EngineOptionsTest : public QObject {
    Q_OBJECT

private slots:
    void notesUnknownEngineOptions() {
        EngineOptions options;
        options.given = {{"autoReport.all", "true"}, {"autoReport.al", "true"}};
        const std::vector<OptionNote> notes = engineOptionNotes(options);
        QCOMPARE(notes.size(), std::size_t(1));
        QVERIFY(notes[0].warning);
        QCOMPARE(text(notes[0].text),
                 "unknown engine option 'autoReport.al': it is kept in the profile and has no "
                 "effect. Did you mean 'autoReport.all'?");
    }

    void theTableIsSortedAndExplainsEach() {
        const auto& table = engineOptionTable();
        QVERIFY(std::is_sorted(table.begin(), table.end(),
                               [](const auto& a, const auto& b) { return a.key < b.key; }));
        for (const EngineOption& option : table)
            QVERIFY2(!option.what.empty(), std::string(option.key).c_str());
    }

    void whatDoesNotActIsSaid() {
        for (const EngineOption& option : engineOptionTable()) {
            const std::string key(option.key);
            const QString note = noteOf(key, "7");
            if (option.effect == EngineEffect::Acts)
                continue;
            QVERIFY2(note.startsWith("engine option '" + text(key) + "' "), qPrintable(note));
            QVERIFY2(note.contains(option.effect == EngineEffect::Recorded
                                       ? "recorded only and has no effect on the simulation: "
                                       : "has no meaning in a simulator: "),
                     qPrintable(note));
            QVERIFY(note.endsWith(text(std::string(option.what))));
        }
    }

    void valuesThatThereAreNot() {
        QCOMPARE(noteOf("debug.computeInstrumentationLevel", "vertx"),
                 "engine option 'debug.computeInstrumentationLevel' is 'vertx', not one of vertex, "
                 "tile, ipu, device, off; using vertex");
        QCOMPARE(noteOf("debug.computeInstrumentationLevel", "tile"), "");
        QVERIFY(engineChoice(with("debug.computeInstrumentationLevel", "x"),
                             "debug.computeInstrumentationLevel") == "vertex");
        QVERIFY(engineChoice(with("debug.computeInstrumentationLevel", "ipu"),
                             "debug.computeInstrumentationLevel") == "ipu");
        QVERIFY(!engineSwitch(with("debug.instrument", "false"), "debug.instrument", true));
        QVERIFY(engineSwitch({}, "debug.instrument", true));
    }

    void whatIsLeftOutIsSaid() {
        QCOMPARE(noteOf("autoReport.outputExecutionProfile", "false"),
                 "engine option 'autoReport.outputExecutionProfile' is false: the profile has no "
                 "trace and no times");
        QCOMPARE(noteOf("autoReport.outputExecutionProfile", "true"), "");
        QVERIFY(noteOf("prng.enableStochasticRounding", "true").startsWith("stochastic rounding "));
    }

    void threadsOfCallbacks() {
        const auto threads = [](const char* mode, const char* workers) {
            EngineOptions options = with("streamCallbacks.multiThreadMode", mode);
            if (*workers != '\0')
                options.given["streamCallbacks.numWorkerThreads"] = workers;
            const CallbackThreads made = callbackThreads(options);
            return made.dedicated ? -1 : static_cast<int>(made.workers);
        };
        QCOMPARE(threads("singleThread", "4"), 1);
        QCOMPARE(threads("dedicated", ""), -1);
        QCOMPARE(threads("collaborative", "4"), 4);
        QCOMPARE(threads("collaborative", "auto"), -1);
        QCOMPARE(threads("nonsense", "4"), 1);
    }
};

TILESCOPE_TEST(EngineOptionsTest)

} // namespace engine_options_test

#include "engine_options_test.moc"
