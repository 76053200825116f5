// Jobs by chance, made of the option table: whatever is asked of a model, its profile keeps the
// invariants, and what the reports say adds up.
#include <QtTest>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>

#include "core/base/error.h"
#include "core/options/option_table.h"
#include "core/store/profile_relations.h"
#include "core/store/profile_writer.h"
#include "simulator/simulate.h"
#include "support/invariants.h"
#include "tests/support/compared_figures.h"
#include "tests/support/figures.h"
#include "tests/support/report_tables.h"
#include "tests/support/test_main.h"

namespace random_jobs_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

/// Jobs of a run in the gate; TILESCOPE_JOBS sets another number, TILESCOPE_ORACLE_SEED the first
/// seed.
const int gateJobs = test::hasAddressSanitizer() ? 8 : 30;
constexpr unsigned firstSeed = 1;

using Random = std::mt19937;

struct RandomJob {
    std::string model;
    std::map<std::string, std::string> values; ///< by option key
};

std::string textOf(const RandomJob& job) {
    std::string text = "tilescope run " + job.model;
    for (const auto& [key, value] : job.values)
        text += fmt::format(" {}{}", findOption(key)->flag,
                            findOption(key)->type == OptionSpec::Type::Flag ? "" : " " + value);
    return text;
}

int below(Random& random, std::size_t end) {
    return std::uniform_int_distribution<int>(0, static_cast<int>(end) - 1)(random);
}

bool chance(Random& random, double share) {
    return std::bernoulli_distribution(share)(random);
}

template <class T> const T& oneOf(Random& random, const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(below(random, choices.size()))];
}

/// Options that name files, values to compute, or things of a particular model.
bool isLeftOut(const OptionSpec& spec) {
    return spec.topic == OptionTopic::Compute ||
           (spec.choices.empty() && spec.type == OptionSpec::Type::Text) ||
           spec.type == OptionSpec::Type::Json || spec.type == OptionSpec::Type::Pairs;
}

/// A number within the bounds, small ones as often as large ones, and the bounds themselves.
std::string anyNumber(const OptionSpec& spec, const RunOptions& options, Random& random) {
    OptionRange range = spec.range ? spec.range(options) : OptionRange{0, 1};
    range.most = std::min(range.most, range.least + 4096);
    const double share = chance(random, 0.2) ? below(random, 2)
                                             : std::uniform_real_distribution<double>(0, 1)(random);
    const double number = range.least + std::expm1(share * std::log1p(range.most - range.least));
    return spec.type == OptionSpec::Type::Integer
               ? std::to_string(static_cast<std::int64_t>(std::llround(number)))
               : fmt::format("{:.4g}", number);
}

std::string anyValue(const OptionSpec& spec, const RunOptions& options, Random& random) {
    if (spec.type == OptionSpec::Type::Flag)
        return "on";
    return spec.choices.empty() ? anyNumber(spec, options, random) : oneOf(random, spec.choices);
}

/// The options without those that mean nothing beside the others, or are refused by themselves.
void keepMeaningful(RandomJob& job) {
    for (;;) {
        RunOptions options;
        try {
            setRunOptions(options, job.values);
        } catch (const UserError&) {
            job.values.erase(std::prev(job.values.end()));
            continue;
        }
        const auto idle = idleOptions(options);
        if (idle.empty())
            return;
        for (const auto& [key, reason] : idle)
            job.values.erase(key);
    }
}

RandomJob anyJob(Random& random) {
    struct Choice {
        std::string model, modelOptions;
    };
    static const std::vector<Choice> models{
        {"mlp", ""},
        {"mnist-cnn", ""},
        {"mnist-tutorial", ""},
        {"plain-plus-transposed", ""},
        {"bert-base", "layers=2,sequenceLength=32,vocabulary=1000"},
        {"bert-base", "layers=1,sequenceLength=64,head=squad,splitQkv=on,dropout=on"},
        {"bert-base", "layers=2,sequenceLength=16,graph=tensorflow,maskedTokens=4,vocabulary=512"},
        {"gpt2-small", "layers=1,sequenceLength=32"},
        {"vit-base", "layers=1"},
        {"efficientnet", ""},
    };
    const Choice& choice = oneOf(random, models);
    RandomJob job{choice.model, {}};
    if (!choice.modelOptions.empty())
        job.values["modelOptions"] = choice.modelOptions;
    const auto set = [&](const char* key, const std::vector<std::string>& choices) {
        job.values[key] = oneOf(random, choices);
    };
    set("target", {"mk1", "mk2", "bow", "c600", "pod16"});
    set("batchSize", {"1", "2", "3", "8"});
    const bool trains = chance(random, 0.6);
    if (trains)
        job.values["mode"] = "training";
    set("deviceIterations", {"1", "1", "2", "5"});
    if (chance(random, 0.6)) {
        set("ipus", {"2", "2", "4"});
        set("execution", {"sharded", "pipelined", "pipelined", "pipelined", "phased"});
    }
    const std::string execution = job.values.contains("execution") ? job.values["execution"] : "";
    const bool isPipelined = execution == "pipelined";
    if (execution == "phased")
        set("phases", {"2", "3", "4", "6"});
    if (isPipelined || trains) // enough to fill a pipeline of four stages
        set(trains ? "gradientAccumulation" : "deviceIterations",
            isPipelined ? std::vector<std::string>{"8", "16"}
                        : std::vector<std::string>{"1", "2", "7"});
    if (chance(random, 0.3))
        set("replicas", {"2", "4"});
    if (chance(random, 0.3))
        set("tilesPerIpu", {"4", "64", "333", "1000"});
    const std::vector<OptionSpec>& table = runOptionTable();
    RunOptions options;
    for (int more = below(random, 9); more > 0; --more)
        if (const OptionSpec& spec = oneOf(random, table); !isLeftOut(spec))
            job.values.emplace(spec.key, anyValue(spec, options, random));
    keepMeaningful(job);
    return job;
}

/// Without data from the host nothing writes the inputs.
std::string complaintsOf(const Profile& profile, const RunOptions& options) {
    std::string text;
    for (const std::string& line : brokenInvariants(profile))
        if (!options.host.ignoreData ||
            !line.starts_with("a variable is written before it is read"))
            text += line + "\n";
    return text;
}

struct Outcome {
    std::string wrong;   ///< empty if all holds
    std::string refusal; ///< why the job was refused; empty if it was run
};

Outcome outcomeOf(const RandomJob& job, const std::filesystem::path& file) {
    try {
        RunOptions options;
        setRunOptions(options, job.values);
        validate(options);
        const auto profile =
            std::make_shared<const Profile>(sim::simulateModel(job.model, options));
        if (std::string wrong = complaintsOf(*profile, options); !wrong.empty())
            return {wrong, {}};
        checkRelations(*profile);
        writeProfile(*profile, file);
        const auto view = std::make_shared<const ProfileView>(file);
        if (std::string wrong = contradictions(*view, figuresOf(*view)); !wrong.empty())
            return {wrong, {}};
        const ProfilePair pair(view, view);
        if (std::string wrong = contradictions(pair, compareProfiles(pair)); !wrong.empty())
            return {"compared with itself: " + wrong, {}};
        static_cast<void>(tablesOfAllReports(*view));
        return {};
    } catch (const UserError& error) {
        return {{}, error.what()};
    } catch (const std::exception& error) {
        return {error.what(), {}};
    }
}

/// The job without the options that are not needed for it to fail.
RandomJob smallestFailing(RandomJob job, const std::filesystem::path& file) {
    for (bool fewer = true; fewer;) {
        fewer = false;
        for (const auto& [key, value] : std::map(job.values)) {
            RandomJob without = job;
            without.values.erase(key);
            keepMeaningful(without);
            if (without.values.size() < job.values.size() &&
                !outcomeOf(without, file).wrong.empty()) {
                job = std::move(without);
                fewer = true;
                break;
            }
        }
    }
    return job;
}

unsigned numberIn(const char* variable, unsigned otherwise) {
    const char* text = std::getenv(variable);
    return text != nullptr && *text != 0 ? static_cast<unsigned>(std::strtoul(text, nullptr, 10))
                                         : otherwise;
}

} // namespace

class RandomJobsTest : public QObject {
    Q_OBJECT

private slots:
    void jobsThatFailedOnceHold_data() {
        using Values = std::map<std::string, std::string>;
        QTest::addColumn<QString>("model");
        QTest::addColumn<Values>("values");
        QTest::newRow("no code in the IPU Model") << "mlp" << Values{{"ipuModel", "on"}};
        const Values vit{{"modelOptions", "layers=1"}, {"tilesPerIpu", "64"}, {"ipus", "2"}};
        const auto with = [&](Values values) {
            values.insert(vit.begin(), vit.end());
            return values;
        };
        QTest::newRow("a part of a tensor for the IPU of another phase")
            << "vit-base" << with({{"execution", "phased"}, {"phases", "6"}});
        QTest::newRow("a part of a tensor for the IPU of another stage")
            << "vit-base"
            << with({{"execution", "pipelined"}, {"deviceIterations", "16"}, {"ipus", "4"}});
        QTest::newRow("a table in another layout than planned")
            << "bert-base"
            << Values{{"modelOptions", "layers=1,sequenceLength=32,vocabulary=1000"},
                      {"gradientAccumulation", "7"},
                      {"inputMapping", "linear"},
                      {"mode", "training"}};
        QTest::newRow("a gradient put in order on the last IPU") << "mnist-tutorial"
                                                                 << Values{{"execution", "phased"},
                                                                           {"phases", "6"},
                                                                           {"ipus", "4"},
                                                                           {"mode", "training"},
                                                                           {"tilesPerIpu", "64"}};
    }

    void jobsThatFailedOnceHold() {
        using Values = std::map<std::string, std::string>;
        QFETCH(QString, model);
        QFETCH(Values, values);
        const QTemporaryDir folder;
        const auto file = std::filesystem::path(folder.path().toStdString()) / "profile.pop";
        const Outcome outcome = outcomeOf({model.toStdString(), values}, file);
        QVERIFY2(outcome.wrong.empty(), outcome.wrong.c_str());
        QVERIFY2(outcome.refusal.empty(), outcome.refusal.c_str());
    }

    void profilesOfAnyJobHold() {
        const unsigned first = numberIn("TILESCOPE_ORACLE_SEED", firstSeed);
        const unsigned jobs = numberIn("TILESCOPE_JOBS", static_cast<unsigned>(gateJobs));
        const QTemporaryDir folder;
        const auto file = std::filesystem::path(folder.path().toStdString()) / "profile.pop";
        unsigned refused = 0;
        std::string failed;
        for (unsigned i = 0; i < jobs; ++i) {
            Random random(first + i);
            const RandomJob job = anyJob(random);
            const bool isShown = std::getenv("TILESCOPE_JOBS") != nullptr;
            if (isShown) // before it may end the program
                std::cout << textOf(job) << std::endl;
            const Outcome outcome = outcomeOf(job, file);
            refused += outcome.refusal.empty() ? 0 : 1;
            if (isShown)
                std::cout << "    " << outcome.refusal << std::endl;
            if (outcome.wrong.empty())
                continue;
            const RandomJob smallest = smallestFailing(job, file);
            failed += fmt::format("seed {}: {}\n{}\n", first + i, textOf(smallest),
                                  outcomeOf(smallest, file).wrong);
            std::cout << failed << std::flush;
        }
        QVERIFY2(failed.empty(), failed.c_str());
        // What is refused tries little.
        QVERIFY2(refused * 2 < jobs, std::to_string(refused).c_str());
    }
};

TILESCOPE_TEST(RandomJobsTest)

} // namespace random_jobs_test

#include "random_jobs_test.moc"
