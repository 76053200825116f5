#include "tests/fuzz/message_mutator.h"

#include <array>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tilescope::fuzz {
namespace {

namespace pb = google::protobuf;
using Field = pb::FieldDescriptor;

class Mutator {
public:
    explicit Mutator(unsigned seed)
        : engine_(seed) {}

    void run(pb::Message& root) {
        collect(root);
        const std::size_t changes = 1 + below(3);
        // A change may remove messages that a later one would have changed: they are found anew.
        for (std::size_t i = 0; i < changes; ++i) {
            messages_.clear();
            collect(root);
            change(*messages_[below(messages_.size())]);
        }
    }

private:
    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : engine_() % bound; }

    void collect(pb::Message& message) {
        messages_.push_back(&message);
        const pb::Reflection& reflection = *message.GetReflection();
        std::vector<const Field*> fields;
        reflection.ListFields(message, &fields);
        for (const Field* field : fields) {
            if (field->cpp_type() == Field::CPPTYPE_STRING)
                collectTexts(message, field);
            if (field->cpp_type() != Field::CPPTYPE_MESSAGE)
                continue;
            if (!field->is_repeated())
                collect(*reflection.MutableMessage(&message, field));
            for (int i = 0; field->is_repeated() && i < reflection.FieldSize(message, field); ++i)
                collect(*reflection.MutableRepeatedMessage(&message, field, i));
        }
    }

    void collectTexts(const pb::Message& message, const Field* field) {
        const pb::Reflection& reflection = *message.GetReflection();
        constexpr std::size_t most = 4096;
        if (texts_.size() > most)
            return;
        if (!field->is_repeated())
            texts_.push_back(reflection.GetString(message, field));
        for (int i = 0; field->is_repeated() && i < reflection.FieldSize(message, field); ++i)
            texts_.push_back(reflection.GetRepeatedString(message, field, i));
    }

    std::int64_t number() {
        static constexpr std::array<std::int64_t, 18> odd{
            0,          -1,
            1,          2,
            3,          4,
            5,          7,
            64,         -2,
            1 << 20,    2147483647,
            2147483648, std::int64_t{1} << 40,
            255,        224,
            -100,       std::numeric_limits<std::int64_t>::max()};
        return below(8) == 0 ? std::numeric_limits<std::int64_t>::min() : odd[below(odd.size())];
    }

    std::string text() {
        return texts_.empty() || below(8) == 0
                   ? std::string(below(12), static_cast<char>(below(256)))
                   : texts_[below(texts_.size())];
    }

    void change(pb::Message& message) {
        const pb::Descriptor& descriptor = *message.GetDescriptor();
        if (descriptor.field_count() == 0)
            return;
        std::vector<const Field*> fields;
        message.GetReflection()->ListFields(message, &fields);
        // Fields that are there most of the time, now and then any of the type.
        const Field* field = fields.empty() || below(6) == 0
                                 ? descriptor.field(static_cast<int>(
                                       below(static_cast<std::size_t>(descriptor.field_count()))))
                                 : fields[below(fields.size())];
        if (field->is_repeated())
            changeList(message, field);
        else if (below(6) == 0)
            message.GetReflection()->ClearField(&message, field);
        else
            set(message, field);
    }

    void changeList(pb::Message& message, const Field* field) {
        const pb::Reflection& reflection = *message.GetReflection();
        const int size = reflection.FieldSize(message, field);
        const int at = static_cast<int>(below(static_cast<std::size_t>(size)));
        const int other = static_cast<int>(below(static_cast<std::size_t>(size)));
        switch (size == 0 ? 0 : below(5)) {
        case 0:
            return add(message, field, size == 0 ? -1 : at);
        case 1:
            reflection.SwapElements(&message, field, at, size - 1);
            return reflection.RemoveLast(&message, field);
        case 2:
            return reflection.SwapElements(&message, field, at, other);
        default:
            return setAt(message, field, at);
        }
    }

    /// A copy of the element at `like`, or a new one.
    void add(pb::Message& message, const Field* field, int like) {
        const pb::Reflection& r = *message.GetReflection();
        if (field->cpp_type() == Field::CPPTYPE_MESSAGE) {
            pb::Message* added = r.AddMessage(&message, field);
            if (like >= 0)
                added->CopyFrom(r.GetRepeatedMessage(message, field, like));
            return;
        }
        switch (field->cpp_type()) {
        case Field::CPPTYPE_INT32:
            return r.AddInt32(&message, field, static_cast<std::int32_t>(number()));
        case Field::CPPTYPE_INT64:
            return r.AddInt64(&message, field, number());
        case Field::CPPTYPE_UINT64:
            return r.AddUInt64(&message, field, static_cast<std::uint64_t>(number()));
        case Field::CPPTYPE_FLOAT:
            return r.AddFloat(&message, field, static_cast<float>(number()));
        case Field::CPPTYPE_DOUBLE:
            return r.AddDouble(&message, field, static_cast<double>(number()));
        case Field::CPPTYPE_STRING:
            return r.AddString(&message, field, text());
        default:
            return;
        }
    }

    void setAt(pb::Message& message, const Field* field, int at) {
        const pb::Reflection& r = *message.GetReflection();
        switch (field->cpp_type()) {
        case Field::CPPTYPE_INT32:
            return r.SetRepeatedInt32(&message, field, at, static_cast<std::int32_t>(number()));
        case Field::CPPTYPE_INT64:
            return r.SetRepeatedInt64(&message, field, at, number());
        case Field::CPPTYPE_UINT64:
            return r.SetRepeatedUInt64(&message, field, at, static_cast<std::uint64_t>(number()));
        case Field::CPPTYPE_FLOAT:
            return r.SetRepeatedFloat(&message, field, at, static_cast<float>(number()));
        case Field::CPPTYPE_STRING:
            return r.SetRepeatedString(&message, field, at, text());
        case Field::CPPTYPE_MESSAGE:
            return change(*r.MutableRepeatedMessage(&message, field, at));
        default:
            return;
        }
    }

    void set(pb::Message& message, const Field* field) {
        const pb::Reflection& r = *message.GetReflection();
        switch (field->cpp_type()) {
        case Field::CPPTYPE_INT32:
            return r.SetInt32(&message, field, static_cast<std::int32_t>(number()));
        case Field::CPPTYPE_INT64:
            return r.SetInt64(&message, field, number());
        case Field::CPPTYPE_FLOAT:
            return r.SetFloat(&message, field, static_cast<float>(number()));
        case Field::CPPTYPE_ENUM:
            return r.SetEnumValue(&message, field, static_cast<int>(below(18)));
        case Field::CPPTYPE_STRING:
            return r.SetString(&message, field, text());
        case Field::CPPTYPE_MESSAGE:
            return change(*r.MutableMessage(&message, field));
        default:
            return;
        }
    }

    std::mt19937 engine_;
    std::vector<pb::Message*> messages_;
    std::vector<std::string> texts_;
};

} // namespace

void mutateMessage(pb::Message& message, unsigned seed) {
    Mutator(seed).run(message);
}

} // namespace tilescope::fuzz
