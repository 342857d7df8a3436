// SPDX-License-Identifier: MIT
// What is not an ioctl: files, mappings, contents, the order of things. The calls are in player_calls.cpp.
#include "player/player.hpp"

#include <drm/panthor_drm.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <utility>

namespace recording {
namespace {

constexpr size_t most_texts = 50;
/// No BO of a board is larger; a forged recording must not reserve the address space.
constexpr uint64_t most_mapping_bytes = 64ull << 30;

void add_text(std::vector<std::string>& texts, std::string text) {
  if (texts.size() < most_texts) texts.push_back(std::move(text));
}

}  // namespace

Player::Player(Kernel& kernel, PlayOptions options)
    : kernel_(kernel), options_(std::move(options)), contents_(kernel, gpu_words_) {}

Player::~Player() {
  for (const auto& [number, mapping] : mappings_) kernel_.unmap(mapping.address, mapping.length);
  for (const auto& [recorded, fd] : fds_.all()) kernel_.close(static_cast<int>(fd));
  for (const auto& [number, file] : files_) kernel_.close(file.fd);
}

Outcome Player::play(Reader& reader) {
  index(reader);
  reader.rewind();
  while (outcome_.stuck.empty()) {
    const auto event = reader.next();
    if (!event) break;
    std::visit([this](const auto& alternative) { on(alternative); }, *event);
  }
  finish();
  outcome_.damage = reader.damage();
  if (reader.unknown_events() != 0)
    add_text(outcome_.notes,
             fmt::format("{} events of a newer format version were skipped", reader.unknown_events()));
  return std::exchange(outcome_, {});
}

/// Reads ahead what is needed before its turn: how each call ended, and which words the GPU writes.
void Player::index(Reader& reader) {
  while (auto event = reader.next()) {
    if (const auto* begin = std::get_if<CallBegan>(&*event)) {
      threads_.insert(begin->thread);
      if (first_recorded_ns_ == 0) first_recorded_ns_ = begin->time_ns;
    } else if (auto* end = std::get_if<CallEnded>(&*event)) {
      ends_.insert_or_assign(end->call, std::move(*end));
    } else if (const auto* content = std::get_if<Content>(&*event)) {
      if (content->origin == Content::Origin::observed) gpu_words_.add(*content);
    }
  }
  first_replayed_ns_ = kernel_.now_ns();
}

void Player::on(const FileOpened& event) {
  File& file = files_[event.file];
  if (file.fd >= 0) kernel_.close(file.fd);  // only a forged recording opens a file twice
  file = File{};
  file.fd = kernel_.open_node();
}

void Player::on(const FileClosed& event) {
  const auto file = files_.find(event.file);
  if (file == files_.end()) return;
  unmap_all(event.file);
  kernel_.close(file->second.fd);
  files_.erase(file);
}

void Player::unmap_all(uint32_t file) {
  std::erase_if(mappings_, [&](const auto& entry) {
    if (entry.second.file != file) return false;
    kernel_.unmap(entry.second.address, entry.second.length);
    return true;
  });
}

void Player::on(const Mapped& event) {
  const auto file = files_.find(event.file);
  if (file == files_.end()) return;
  uint64_t offset = event.offset;
  const auto what = fmt::format("mapping {} ({} bytes of BO {})", event.mapping, event.length, event.handle);
  if (event.handle != 0) {
    const auto known = file->second.mmap_offset.find(event.handle);
    if (known == file->second.mmap_offset.end())
      return add_text(outcome_.notes, what + " is not made: its mmap offset is unknown");
    offset += known->second;
  } else if (offset != DRM_PANTHOR_USER_MMIO_OFFSET_32BIT && offset != DRM_PANTHOR_USER_MMIO_OFFSET_64BIT) {
    return add_text(outcome_.notes, what + " is not made: neither a BO nor the register page");
  }
  if (event.length == 0 || event.length > most_mapping_bytes)
    return add_text(outcome_.notes, what + " is not made: its length makes no sense");
  const uint32_t protection = event.protection & (PROT_READ | PROT_WRITE);
  int error = 0;
  std::byte* address = kernel_.map(file->second.fd, offset, event.length, protection, error);
  if (address == nullptr) return differ(0, what, fmt::format("mmap gives {}", strerror(error)));
  if (const auto old = mappings_.find(event.mapping); old != mappings_.end())
    on(Unmapped{.mapping = event.mapping});
  mappings_[event.mapping] = {.number = event.mapping,
                              .file = event.file,
                              .handle = event.handle,
                              .address = address,
                              .length = event.length,
                              .writable = event.handle != 0 && (protection & PROT_WRITE) != 0,
                              .recorded = {}};
}

void Player::on(const Unmapped& event) {
  const auto mapping = mappings_.find(event.mapping);
  if (mapping == mappings_.end()) return;
  kernel_.unmap(mapping->second.address, mapping->second.length);
  mappings_.erase(mapping);
}

void Player::on(const Content& event) {
  const auto found = mappings_.find(event.mapping);
  if (found == mappings_.end() || found->second.handle == 0) return;
  PlayedMapping& mapping = found->second;
  uint64_t bytes = 0;
  for (const Run& run : event.runs) bytes += run.bytes.size();
  if (event.origin == Content::Origin::written) {
    outcome_.content_bytes += bytes;
    contents_.write(mapping, event, submits_.busy(mapping.file));
    return;
  }
  if (!options_.check) return;
  outcome_.checked_bytes += bytes;
  bool first = true;
  contents_.check(mapping, event, [&](uint64_t offset, uint64_t recorded, uint64_t replayed) {
    // With several threads, what changed during one's wait may be what another wrote a moment later here.
    if (threads_.size() > 1) {
      ++outcome_.unsettled;
      return;
    }
    if (std::exchange(first, false))
      differ(0, fmt::format("BO {}", mapping.handle),
             fmt::format("byte {:#x} is {:#x}, recorded {:#x}", offset, replayed, recorded));
  });
}

void Player::on(const ContentSkipped& event) {
  add_text(outcome_.notes,
           fmt::format("mapping {} ({} bytes) was recorded without contents and is replayed as zeros",
                       event.mapping, event.length));
}

void Player::on(const FdClosed& event) {
  const auto fd = fds_.find(static_cast<uint32_t>(event.fd));
  if (!fd) return;
  kernel_.close(static_cast<int>(*fd));
  fds_.remove(static_cast<uint32_t>(event.fd));
}

void Player::on(const FdDuplicated& event) {
  const auto fd = fds_.find(static_cast<uint32_t>(event.from));
  const int copy = fd ? kernel_.duplicate(static_cast<int>(*fd)) : -1;
  if (copy < 0) return;
  on(FdClosed{.fd = event.to});
  fds_.add(static_cast<uint32_t>(event.to), static_cast<uint32_t>(copy));
}

void Player::on(const Note& event) {
  add_text(outcome_.notes, event.text);
}

void Player::on(const Ended&) {
  outcome_.ended = true;
}

/// Calls that were in the kernel when the recording ended, then fences that nobody saw signalled.
void Player::finish() {
  for (const auto& [number, begin] : std::exchange(waiting_, {}))
    if (outcome_.stuck.empty()) run(begin, nullptr);
  if (outcome_.stuck.empty()) look_again_at_timeouts();
}

uint32_t Player::flush_id(uint32_t file) const {
  for (const auto& [number, mapping] : mappings_)
    if (mapping.file == file && mapping.handle == 0) {
      uint32_t value = 0;
      std::memcpy(&value, mapping.address, sizeof(value));
      return value;
    }
  return 0;  // without one, the driver flushes
}

void Player::differ(uint64_t call, std::string_view name, const std::string& how) {
  ++outcome_.difference_count;
  add_text(outcome_.differences,
           call == 0 ? fmt::format("{}: {}", name, how) : fmt::format("call {} {}: {}", call, name, how));
}

void Player::not_replayed(uint64_t call, std::string_view name, const std::string& why) {
  ++outcome_.not_replayed_count;
  add_text(outcome_.not_replayed, fmt::format("call {} {}: {}", call, name, why));
}

}  // namespace recording
