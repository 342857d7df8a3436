// SPDX-License-Identifier: MIT
// A hostile guest: vhost-user messages, rings and requests made of the input. Whatever it sends, the
// transport ends with a ProtocolError or goes on; it never touches memory that is not the guest's.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "device.hpp"
#include "panthor_vgpu_wire.h"
#include "transport/guest_link.hpp"
#include "transport/protocol_error.hpp"
#include "transport/vhost_user.hpp"

namespace {

using namespace vgpu;
using namespace vgpu::transport;

constexpr uint64_t ram = 0x100000, ram_size = 0x80000;
constexpr uint64_t rings = ram, ring_stride = 0x4000, buffers = ram + 0x8000;
constexpr uint16_t entries = 16;

/// Takes the input apart; zeroes when it is used up.
class Input {
 public:
  explicit Input(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  template <class T>
  T take() {
    T value{};
    const auto part = take_bytes(sizeof value);
    std::memcpy(&value, part.data(), part.size());
    return value;
  }
  std::span<const uint8_t> take_bytes(size_t wanted) {
    const auto part = bytes_.first(std::min(wanted, bytes_.size()));
    bytes_ = bytes_.subspan(part.size());
    return part;
  }

 private:
  std::span<const uint8_t> bytes_;
};

UniqueFd ram_file() {
  UniqueFd fd(::memfd_create("guest", MFD_CLOEXEC));
  [[maybe_unused]] const int done = ::ftruncate(fd.get(), ram_size);
  return fd;
}

VhostMessage message(uint32_t request, std::span<const uint8_t> payload) {
  VhostMessage m;
  m.header = {request, vhost::version, static_cast<uint32_t>(payload.size())};
  const auto bytes = std::as_bytes(payload);
  m.payload.assign(bytes.begin(), bytes.end());
  return m;
}

template <class T>
VhostMessage message(vhost::Request request, const T& payload) {
  return message(static_cast<uint32_t>(request),
                 {reinterpret_cast<const uint8_t*>(&payload), sizeof payload});
}

class Guest {
 public:
  explicit Guest(Input input) : input_(input) {}

  void run() {
    set_up();
    for (int step = 0; step < 64 && !input_.empty(); ++step) {
      switch (input_.take<uint8_t>() % 5) {
        case 0:
          send();
          break;
        case 1:
          poke();
          break;
        case 2:
          offer_request();
          break;
        case 3:
          link_.turn();
          break;
        case 4:
          clock_.advance_by(input_.take<uint32_t>());
          link_.turn();
          break;
      }
    }
    link_.turn();
  }

 private:
  /// What a well-behaved guest does first, so that the input need not find it.
  void set_up() {
    struct [[gnu::packed]] {
      vhost::MemoryTableHeader header;
      vhost::MemoryRegion region;
    } const table{{1, 0}, {ram, ram_size, ram, 0}};
    VhostMessage m = message(vhost::Request::set_mem_table, table);
    m.fds.push_back(ram_file());
    (void)vhost_.handle(std::move(m));
    for (uint32_t i = 0; i < GuestLink::queue_count; ++i) {
      const uint64_t at = rings + ring_stride * i;
      (void)vhost_.handle(message(vhost::Request::set_vring_num, vhost::VringState{i, entries}));
      (void)vhost_.handle(message(vhost::Request::set_vring_addr,
                                  vhost::VringAddress{i, 0, at, at + 0x2000, at + 0x1000, 0}));
      (void)vhost_.handle(message(vhost::Request::set_vring_enable, vhost::VringState{i, 1}));
    }
  }

  void send() {
    const auto request = input_.take<uint8_t>();
    const auto size = input_.take<uint8_t>();
    VhostMessage m = message(request, input_.take_bytes(size));
    m.header.flags |= input_.take<uint8_t>() & vhost::flag_need_reply;
    for (int i = input_.take<uint8_t>() % 3; i > 0; --i) m.fds.push_back(ram_file());
    (void)vhost_.handle(std::move(m));
  }

  void poke() {
    const auto offset = input_.take<uint16_t>();
    const auto bytes = input_.take_bytes(input_.take<uint8_t>());
    const auto target = vhost_.memory().span(ram + offset, bytes.size());
    if (!target.empty()) std::memcpy(target.data(), bytes.data(), bytes.size());
  }

  void offer_request() {
    const auto request = input_.take<panthor_vgpu_request>();
    const auto target = vhost_.memory().span(buffers, 0x100);
    const auto ring = vhost_.memory().span(rings, ring_stride);
    if (target.empty() || ring.empty()) return;
    std::memcpy(target.data(), &request, sizeof request);
    const uint16_t chain = input_.take<uint8_t>() & 1;
    struct {
      uint64_t address;
      uint32_t length;
      uint16_t flags, next;
    } const descriptors[2]{{buffers, sizeof request, chain, 1}, {buffers + 0x80, 0x80, 2, 0}};
    std::memcpy(ring.data(), descriptors, sizeof descriptors);
    std::memset(ring.data() + 0x1004 + 0x1000, 0,
                2 * entries);  // every entry of the available ring: descriptor 0
    uint16_t index = 0;
    std::memcpy(&index, ring.data() + 0x2002, sizeof index);
    ++index;
    std::memcpy(ring.data() + 0x2002, &index, sizeof index);
  }

  Input input_;
  VirtualClock clock_;
  EventLog log_{clock_};
  IrqDelivery irqs_{log_};
  VhostUser vhost_{GuestLink::queue_count, VhostUser::Notifications::file_descriptors};
  Device device_{vhost_.memory(), irqs_, clock_, log_};
  RegisterLink registers_{device_, vhost_.memory(), irqs_, log_,
                          [](std::string_view line) { return std::string(line); }};
  GuestLink link_{device_, vhost_, irqs_, registers_};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    Guest(Input({data, size})).run();
  } catch (const ProtocolError&) {
    // The connection ends.
  }
  return 0;
}
