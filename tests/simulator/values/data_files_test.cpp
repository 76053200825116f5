// Values in files: written values are read back, and damage is reported.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <onnx/onnx_pb.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "simulator/data/array_files.h"
#include "simulator/data/digits.h"
#include "simulator/data/idx.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace data_files_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;
namespace fs = std::filesystem;

class DataFilesTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    fs::path file(const std::string& name) const {
        return fs::path(directory_.path().toStdString()) / name;
    }
    template <class Read> static QString errorOf(const Read& read) {
        try {
            read();
        } catch (const UserError& error) {
            return QString::fromStdString(error.what());
        }
        return {};
    }
    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(file(name), std::ios::binary) << bytes;
    }

private slots:
    void wholeNumbersHave32Bits_data() {
        QTest::addColumn<qlonglong>("number");
        QTest::addColumn<bool>("fits");
        QTest::newRow("largest") << qlonglong{2147483647} << true;
        QTest::newRow("least") << qlonglong{-2147483647 - 1} << true;
        QTest::newRow("larger") << qlonglong{2147483648} << false;
        QTest::newRow("much larger") << (qlonglong{1} << 40) << false;
    }
    void wholeNumbersHave32Bits() {
        QFETCH(qlonglong, number);
        QFETCH(bool, fits);
        std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }";
        header.resize(117, ' ');
        header += '\n';
        std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
        bytes += header;
        for (int shift = 0; shift < 64; shift += 8)
            bytes += static_cast<char>(number >> shift);
        write("whole.npy", bytes);
        const QString error = errorOf([&] { readArrays(file("whole.npy")); });
        QCOMPARE(error.isEmpty(), fits);
        if (!fits)
            QVERIFY2(error.contains("whole.npy: holds " + QString::number(number) +
                                    ", which does not fit the 32 bits"),
                     qPrintable(error));
        else
            QCOMPARE(static_cast<qlonglong>(readArrays(file("whole.npy"))[0].data.number(0)),
                     number);
    }

    void npyIsReadAsItWasWritten_data() {
        QTest::addColumn<int>("type");
        for (const DataType type :
             {DataType::Float, DataType::Half, DataType::Int32, DataType::UInt32, DataType::Int8,
              DataType::UInt8, DataType::Bool})
            QTest::newRow(std::string(toString(type)).c_str()) << static_cast<int>(type);
    }
    void npyIsReadAsItWasWritten() {
        QFETCH(int, type);
        for (const Shape& shape : {Shape{}, Shape{7}, Shape{2, 3, 4}}) {
            TensorData data(static_cast<DataType>(type), shape);
            for (std::int64_t i = 0; i < data.elements(); ++i)
                data.setNumber(i, static_cast<double>(i) / 3);
            writeNpy(file("one.npy"), data);
            const auto arrays = readArrays(file("one.npy"));
            QCOMPARE(arrays.size(), std::size_t{1});
            QCOMPARE(text(arrays[0].name), "one");
            QVERIFY(arrays[0].data.shape() == shape);
            for (std::int64_t i = 0; i < data.elements(); ++i)
                QCOMPARE(arrays[0].data.number(i), data.number(i));
        }
    }

    /// What NumPy writes of numpy.asfortranarray([[1, 2, 3], [4, 5, 6]], dtype='<i2').
    void columnsFirst() {
        std::string header = "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }";
        header.resize(117, ' ');
        header += '\n';
        std::string bytes("\x93NUMPY\x01\x00", 8);
        bytes += static_cast<char>(header.size());
        bytes += '\0';
        bytes += header;
        for (const char value : {1, 4, 2, 5, 3, 6})
            bytes += std::string{value, '\0'};
        write("fortran.npy", bytes);
        const TensorData data = readArrays(file("fortran.npy")).front().data;
        QVERIFY(data.shape() == (Shape{2, 3}));
        for (std::int64_t i = 0; i < data.elements(); ++i)
            QCOMPARE(data.number(i), static_cast<double>(i + 1));
    }

    void foldersAreInTheOrderOfNumbers() {
        const fs::path folder = file("folder");
        for (const int i : {10, 2, 0})
            writeNpy(folder / ("input_" + std::to_string(i) + ".npy"),
                     TensorData::scalar(DataType::Int32, i));
        const auto arrays = readArrays(folder);
        QCOMPARE(arrays.size(), std::size_t{3});
        QCOMPARE(arrays[0].data.number(0), 0.0);
        QCOMPARE(arrays[1].data.number(0), 2.0);
        QCOMPARE(arrays[2].data.number(0), 10.0);
    }

    /// input_N.pb is the N-th input, whatever its name in the file, and output_N.pb is not an
    /// input.
    void testDataGoByPosition() {
        const fs::path folder = file("test_data_set_0");
        fs::create_directories(folder);
        const auto put = [&](const char* name, const char* called, float value) {
            onnx::TensorProto proto;
            proto.set_name(called);
            proto.set_data_type(onnx::TensorProto::FLOAT);
            proto.add_dims(1);
            proto.add_float_data(value);
            std::ofstream(folder / name, std::ios::binary) << proto.SerializeAsString();
        };
        put("input_0.pb", "b", 10);
        put("input_1.pb", "a", 11);
        put("output_0.pb", "a", 20);
        put("input_x.pb", "a", 30);
        const auto inputs = readTestData(folder, "input");
        QCOMPARE(inputs.size(), std::size_t{2});
        QCOMPARE(inputs.at(0).data.number(0), 10.0);
        QCOMPARE(inputs.at(1).data.number(0), 11.0);
        QCOMPARE(readTestData(folder, "output").size(), std::size_t{1});
        QVERIFY(readTestData(folder / "input_0.pb", "input").empty());
        QVERIFY(readTestData(file("nowhere"), "input").empty());
    }

    void damageIsNamed_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray("a.npy") << QByteArray();
        QTest::newRow("text") << QByteArray("b.npy") << QByteArray("hello, numbers and more");
        QTest::newRow("zip") << QByteArray("c.npz") << QByteArray("PK\3\4 broken");
        QTest::newRow("proto") << QByteArray("d.pb") << QByteArray("\xff\xff\xff\xff");
    }
    void damageIsNamed() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, bytes);
        write(name.toStdString(), bytes.toStdString());
        const QString error = errorOf([&] { readArrays(file(name.toStdString())); });
        QVERIFY2(error.contains(QString::fromLatin1(name)), qPrintable(error));
    }

    void truncatedArraysAreRefused() {
        writeNpy(file("whole.npy"), TensorData::filled(DataType::Float, {10, 10}, 1));
        const std::string whole = readFile(file("whole.npy"));
        for (std::size_t length = 0; length < whole.size(); length += 7) {
            write("part.npy", whole.substr(0, length));
            QVERIFY(!errorOf([&] { readArrays(file("part.npy")); }).isEmpty());
        }
    }

    void missingFileIsNamed() {
        QVERIFY(errorOf([&] { readArrays(file("nothing.npy")); }).contains("nothing.npy"));
        QVERIFY(errorOf([&] { readIdx(file("nothing")); }).contains("nothing"));
    }

    void digitsAreStandardised() {
        std::optional<Standard> standard;
        const auto training = readImages(TILESCOPE_DIGITS, ImageSet::Training, standard);
        QVERIFY(training);
        QCOMPARE(training->count(), 8000);
        QVERIFY(training->images.shape() == (Shape{8000, 28, 28}));
        // torchvision's figures for all 60,000 are 0.1307 and 0.3081.
        QVERIFY(std::fabs(standard->mean - 0.1307) < 0.002);
        QVERIFY(std::fabs(standard->deviation - 0.3081) < 0.002);
        double sum = 0;
        for (const float value : training->images.reals())
            sum += static_cast<double>(value);
        QVERIFY(std::fabs(sum / static_cast<double>(training->images.elements())) < 1e-3);
        const auto test = readImages(TILESCOPE_DIGITS, ImageSet::Test, standard);
        QCOMPARE(test->count(), 2000);
        for (const std::int32_t label : test->labels.ints())
            QVERIFY(label >= 0 && label < 10);
    }

    void plainFilesAreReadToo() {
        // Two images of 1 x 2 pixels.
        write("plain-idx3",
              std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02", 16) + "\1\2\3\4");
        const TensorData data = readIdx(file("plain-idx3"));
        QVERIFY(data.shape() == (Shape{2, 1, 2}));
        QCOMPARE(data.number(3), 4.0);
    }

    void truncatedDigitsAreRefused() {
        const fs::path digits = fs::path(TILESCOPE_DIGITS) / "t10k-labels-idx1-ubyte.gz";
        const std::string whole = readFile(digits);
        write("short.gz", whole.substr(0, whole.size() / 2));
        QVERIFY(errorOf([&] { readIdx(file("short.gz")); }).contains("truncated"));
    }

    /// A head that promises two thousand million elements in a file of a few bytes.
    void impossibleSizesAreRefused() {
        write("vast", std::string("\0\0\x08\x01\x7f\xff\xff\xff", 8) + "abc");
        QVERIFY(errorOf([&] { readIdx(file("vast")); }).contains("vast"));
    }
};

TILESCOPE_TEST(DataFilesTest)

} // namespace data_files_test

#include "data_files_test.moc"
