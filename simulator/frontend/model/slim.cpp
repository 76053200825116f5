#include "simulator/frontend/model/slim.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <onnx/onnx_pb.h>

#include "simulator/frontend/onnx_types/constant.h"

namespace tilescope::sim {

namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

enum class Message { Model, Graph, Node, Attribute, Tensor };

/// The message in a field, if it may contain tensors.
std::optional<Message> nested(Message message, int field) {
    switch (message) {
    case Message::Model:
        return field == onnx::ModelProto::kGraphFieldNumber ? std::optional(Message::Graph)
                                                            : std::nullopt;
    case Message::Graph:
        if (field == onnx::GraphProto::kNodeFieldNumber)
            return Message::Node;
        return field == onnx::GraphProto::kInitializerFieldNumber ? std::optional(Message::Tensor)
                                                                  : std::nullopt;
    case Message::Node:
        return field == onnx::NodeProto::kAttributeFieldNumber ? std::optional(Message::Attribute)
                                                               : std::nullopt;
    case Message::Attribute:
        return field == onnx::AttributeProto::kTFieldNumber ? std::optional(Message::Tensor)
                                                            : std::nullopt;
    case Message::Tensor:
        return std::nullopt;
    }
    return std::nullopt;
}

/// Whether the importer does not need a field of this length.
bool isSuperfluous(Message message, int field, std::uint32_t length) {
    // A packed 64-bit integer takes ten bytes at most.
    constexpr std::uint32_t maxDataBytes = maxConstantElements * 10;
    using Tensor = onnx::TensorProto;
    if (message == Message::Graph)
        return field == onnx::GraphProto::kValueInfoFieldNumber;
    if (message != Message::Tensor || length <= maxDataBytes)
        return false;
    switch (field) {
    case Tensor::kRawDataFieldNumber:
    case Tensor::kFloatDataFieldNumber:
    case Tensor::kDoubleDataFieldNumber:
    case Tensor::kInt32DataFieldNumber:
    case Tensor::kInt64DataFieldNumber:
    case Tensor::kUint64DataFieldNumber:
        return true;
    default:
        return false;
    }
}

bool copyMessage(CodedInputStream& in, Message message, std::string& to);

void writeBytes(CodedOutputStream& out, std::uint32_t tag, const std::string& bytes) {
    out.WriteVarint32(tag);
    out.WriteVarint32(static_cast<std::uint32_t>(bytes.size()));
    out.WriteString(bytes);
}

bool copyBytes(CodedInputStream& in, Message message, std::uint32_t tag, CodedOutputStream& out) {
    std::uint32_t length = 0;
    if (!in.ReadVarint32(&length) || length > static_cast<std::uint32_t>(in.BytesUntilLimit()))
        return false;
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    if (isSuperfluous(message, field, length))
        return in.Skip(static_cast<int>(length));
    std::string bytes;
    if (const auto inner = nested(message, field)) {
        const auto limit = in.PushLimit(static_cast<int>(length));
        if (!copyMessage(in, *inner, bytes))
            return false;
        in.PopLimit(limit);
    } else if (!in.ReadString(&bytes, static_cast<int>(length))) {
        return false;
    }
    writeBytes(out, tag, bytes);
    return true;
}

bool copyField(CodedInputStream& in, Message message, std::uint32_t tag, CodedOutputStream& out) {
    std::uint64_t wide = 0;
    std::uint32_t narrow = 0;
    switch (WireFormatLite::GetTagWireType(tag)) {
    case WireFormatLite::WIRETYPE_VARINT:
        if (!in.ReadVarint64(&wide))
            return false;
        out.WriteVarint32(tag);
        out.WriteVarint64(wide);
        return true;
    case WireFormatLite::WIRETYPE_FIXED64:
        if (!in.ReadLittleEndian64(&wide))
            return false;
        out.WriteVarint32(tag);
        out.WriteLittleEndian64(wide);
        return true;
    case WireFormatLite::WIRETYPE_FIXED32:
        if (!in.ReadLittleEndian32(&narrow))
            return false;
        out.WriteVarint32(tag);
        out.WriteLittleEndian32(narrow);
        return true;
    case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
        return copyBytes(in, message, tag, out);
    default:
        return false;
    }
}

bool copyMessage(CodedInputStream& in, Message message, std::string& to) {
    StringOutputStream stream(&to);
    CodedOutputStream out(&stream);
    while (in.BytesUntilLimit() > 0) {
        const std::uint32_t tag = in.ReadTag();
        if (WireFormatLite::GetTagFieldNumber(tag) == 0 || !copyField(in, message, tag, out))
            return false;
    }
    return true;
}

} // namespace

std::optional<std::string> slimModel(google::protobuf::io::ZeroCopyInputStream& input,
                                     std::int64_t size) {
    CodedInputStream in(&input);
    in.SetTotalBytesLimit(static_cast<int>(size));
    in.PushLimit(static_cast<int>(size));
    std::string slim;
    if (!copyMessage(in, Message::Model, slim))
        return std::nullopt;
    return slim;
}

} // namespace tilescope::sim
