// SPDX-License-Identifier: MIT
#include "listing/listing.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "format/crc32.hpp"
#include "player/compare.hpp"

namespace recording {
namespace {

std::string result_text(const CallEnded* end) {
  if (end == nullptr) return "did not return";
  return end->error == 0 ? "0" : std::strerror(end->error);
}

std::string_view short_name(std::string_view name) {
  constexpr std::string_view prefix = "DRM_IOCTL_";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

void append(Bytes& to, const Bytes& from) {
  to.insert(to.end(), from.begin(), from.end());
}

uint32_t output_checksum(const CallLayout& layout, const CallImage& outputs) {
  const CallImage plain = without_volatiles(layout, outputs);
  Bytes all = plain.argument;
  for (const Block& block : plain.blocks) append(all, block.bytes);
  return crc32(all);
}

}  // namespace

Listing::Listing(bool details, Print print) : details_(details), print_(std::move(print)) {}

Listing::Names& Listing::names(uint32_t file, IdKind kind) {
  return names_[kind == IdKind::fd ? 0 : file][static_cast<size_t>(kind)];
}

void Listing::list(Reader& reader) {
  std::unordered_map<uint64_t, CallEnded> ends;
  while (auto event = reader.next())
    if (auto* end = std::get_if<CallEnded>(&*event)) ends.insert_or_assign(end->call, std::move(*end));
  reader.rewind();
  std::map<uint64_t, CallBegan> waiting;
  while (auto event = reader.next()) {
    if (auto* begin = std::get_if<CallBegan>(&*event)) {
      const CallLayout* layout = find_call(begin->request);
      if (first_ns_ == 0) first_ns_ = begin->time_ns;
      const auto end = ends.find(begin->call);
      if (layout != nullptr && layout->call_class == CallClass::wait)
        waiting.insert_or_assign(begin->call, std::move(*begin));
      else
        call(*begin, end == ends.end() ? nullptr : &end->second);
    } else if (const auto* end = std::get_if<CallEnded>(&*event)) {
      const auto wait = waiting.find(end->call);
      if (wait == waiting.end()) continue;
      call(wait->second, end);
      waiting.erase(wait);
    }
  }
  for (const auto& [number, begin] : waiting) call(begin, nullptr);
}

void Listing::call(const CallBegan& begin, const CallEnded* end) {
  if (end != nullptr && (end->error == EINTR || end->error == EAGAIN)) return;  // issued again
  const CallLayout* layout = find_call(begin.request);
  std::string line =
      details_ ? fmt::format("{:>12.6f} {:>6} t{} ", static_cast<double>(begin.time_ns - first_ns_) / 1e9,
                             begin.call, begin.thread)
               : std::string();
  if (layout == nullptr)
    return print_(line + fmt::format("ioctl {:#x} = {}", begin.request, result_text(end)));
  line += fmt::format("{}", short_name(layout->name));
  const uint32_t in = input_checksum(begin, *layout);
  line += objects(begin, end, *layout) + fmt::format(" in {:08x}", in);
  if (end != nullptr && end->error == 0)
    line += fmt::format(" out {:08x}", output_checksum(*layout, end->image));
  print_(line + " = " + result_text(end));
}

/// " vm 1 -> bo 3", by the numbers of the listing; gives and takes back those numbers.
std::string Listing::objects(const CallBegan& begin, const CallEnded* end, const CallLayout& layout) {
  std::string text;
  const bool succeeded = end != nullptr && end->error == 0;
  for (const IdField& field : layout.argument.ids) {
    Names& known = names(begin.file, field.kind);
    const CallImage& image = field.role == Role::makes && succeeded ? end->image : begin.image;
    const auto id = static_cast<uint32_t>(load_field(image.argument, field.offset, 4));
    if (field.role == Role::makes) {
      if (!succeeded) continue;
      const auto [name, added] = known.of.try_emplace(id, known.next);
      if (added) ++known.next;
      text += fmt::format(" -> {} {}", id_kind_name(field.kind), name->second);
      continue;
    }
    const auto name = known.of.find(id);
    text += name != known.of.end() ? fmt::format(" {} {}", id_kind_name(field.kind), name->second)
                                   : fmt::format(" {} ={}", id_kind_name(field.kind), id);
    if (field.role == Role::destroys && succeeded && name != known.of.end()) known.of.erase(name);
  }
  return text;
}

/// Of everything that goes in, with the listing's numbers for the program's.
uint32_t Listing::input_checksum(const CallBegan& begin, const CallLayout& layout) {
  try {
    RebuiltCall call(layout, begin.request, begin.image, 0);
    Bytes all;
    call.for_each_struct([&](const StructLayout& structure, std::span<std::byte> bytes) {
      for (const IdField& field : structure.ids) {
        const Names& known = names(begin.file, field.kind);
        const auto name = known.of.find(static_cast<uint32_t>(load_field(bytes, field.offset, 4)));
        const uint32_t number = field.role == Role::makes || name == known.of.end() ? 0 : name->second;
        store_field(bytes, field.offset, 4, number);
      }
      for (const VolatileField& field : structure.volatiles) store_field(bytes, field.offset, field.bytes, 0);
      for (const PointerField& field : structure.pointers)
        store_field(bytes, field.address + (field.extent == PointerField::Extent::objects ? 8u : 0u), 8, 0);
      all.insert(all.end(), bytes.begin(), bytes.end());
    });
    return crc32(all);
  } catch (const FormatError&) {
    return 0;
  }
}

}  // namespace recording
