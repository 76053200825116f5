// What is too large is refused soon, with the name of what it is; what names say is never read.
#include <QElapsedTimer>
#include <QTest>
#include <onnx/onnx_pb.h>

#include "core/store/profile_relations.h"
#include "model_text.h"
#include "simulator/planner/planner.h"
#include "simulator/simulate.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace size_bounds_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

QString refusal(const std::string& model) {
    return userError([&] { static_cast<void>(simulate(importText(model), RunOptions())); });
}

onnx::ModelProto convolution(const std::string& name) {
    onnx::ModelProto model = parseModel("g (float[1,8,12,12] x, float[16,8,3,3] w) => "
                                        "(float[1,16,10,10] y) { c = Conv(x, w) y = Relu(c) }");
    auto& node = *model.mutable_graph()->mutable_node(0);
    node.set_name(name);
    node.set_output(0, name + "/out");
    model.mutable_graph()->mutable_node(1)->set_input(0, name + "/out");
    model.mutable_graph()->mutable_node(1)->set_name("relu");
    return model;
}

Profile profileOf(const std::string& name) {
    const Profile profile = simulate(importOnnx(convolution(name), "net", {}), RunOptions());
    checkRelations(profile);
    return profile;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

} // namespace

class SizeBoundsTest : public QObject {
    Q_OBJECT

private slots:
    void aTensorBeyondTheMachineIsNamed() {
        const QString text =
            refusal("g (float[1,3,40000,400000] image) => (float[1,3,40000,400000] "
                    "y) { y = Relu(image) }");
        QVERIFY2(text.contains("tensor 'image' of shape [1,3,40000,400000] takes 179 GiB"),
                 qPrintable(text));
        QVERIFY2(text.contains("times the memory of the machine (897 MiB in 1,472 tiles)") ||
                     text.contains("times the memory of the machine ("),
                 qPrintable(text));
    }

    /// Channels as many as no list of factors can be tried one by one.
    void manyChannelsArePlannedSoon() {
        ConvProblem problem;
        problem.inChans = 1;
        problem.outChans = 4294967291; // a prime
        problem.field = {{4, 4, 1, 1, 1, 0}};
        QElapsedTimer clock;
        clock.start();
        try {
            static_cast<void>(planConv(targetPreset("mk2"), problem, 0.6));
        } catch (const NoPlan& none) {
            QVERIFY(text(none.what()).contains("4294967291"));
        }
        constexpr qint64 mostMilliseconds = 60'000; // under sanitizers, beside other processes
        QVERIFY(clock.elapsed() < mostMilliseconds);
    }

    /// The same program, but for the name.
    void namesAreNotRead_data() {
        QTest::addColumn<QByteArray>("name");
        for (const char* name : {"a\x01"
                                 "500000000\x01"
                                 "b",
                                 "a\x01"
                                 "0\x01"
                                 "b#",
                                 "copy0_x", "#", "x/Convolve", "x/ExchangePre"})
            QTest::newRow(QByteArray(name).toPercentEncoding()) << QByteArray(name);
        QTest::newRow("zero") << QByteArray("a\0b", 3);
    }
    void namesAreNotRead() {
        QFETCH(QByteArray, name);
        const std::string hostile = name.toStdString();
        const std::string plain = "plainName";
        const Profile wanted = profileOf(plain);
        const Profile got = profileOf(hostile);
        QCOMPARE(got.info.cycles, wanted.info.cycles);
        QCOMPARE(got.programs.size(), wanted.programs.size());
        for (std::size_t i = 0; i < got.programs.size(); ++i)
            QCOMPARE(text(got.programs[ProgramId(i)].name),
                     text(replaced(wanted.programs[ProgramId(i)].name, plain, hostile)));
        for (std::size_t i = 0; i < got.variables.size(); ++i)
            QCOMPARE(text(got.variables[VariableId(i)].name),
                     text(replaced(wanted.variables[VariableId(i)].name, plain, hostile)));
    }
};

TILESCOPE_TEST(SizeBoundsTest)

} // namespace size_bounds_test

#include "size_bounds_test.moc"
