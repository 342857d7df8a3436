// SPDX-License-Identifier: MIT
#include "format/event.hpp"

namespace recording {
namespace {

template <size_t... Index>
std::optional<Event> decode_fields(uint16_t type, Decoder& body, std::index_sequence<Index...>) {
  std::optional<Event> event;
  const auto try_one = [&]<typename T>(std::type_identity<T>) {
    if (type != T::type) return false;
    fields(body, event.emplace().emplace<T>());
    return true;
  };
  (try_one(std::type_identity<std::variant_alternative_t<Index, Event>>{}) || ...);
  return event;
}

}  // namespace

void encode(Bytes& out, const Event& event) {
  std::visit(
      [&](const auto& alternative) {
        Encoder encoder(out);
        encoder(std::remove_cvref_t<decltype(alternative)>::type);
        const size_t length_at = out.size();
        encoder(uint32_t{0});
        fields(encoder, alternative);
        const auto length = static_cast<uint32_t>(out.size() - length_at - sizeof(uint32_t));
        for (size_t i = 0; i < sizeof(length); ++i)
          out[length_at + i] = static_cast<std::byte>(length >> (8 * i));
      },
      event);
}

std::optional<Event> decode(Decoder& in) {
  uint16_t type = 0;
  uint32_t length = 0;
  in(type);
  in(length);
  Decoder body(in.take(length));
  return decode_fields(type, body, std::make_index_sequence<std::variant_size_v<Event>>{});
}

}  // namespace recording
