// SPDX-License-Identifier: MIT
#include "transport/register_link.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "registers/register_file.hpp"
#include "transport/protocol_error.hpp"

namespace vgpu::transport {
namespace {

static_assert(PANTHOR_VGPU_WINDOW_SIZE == RegisterFile::window_size);

bool valid_access(const panthor_vgpu_request& request) {
  return (request.size == 1 || request.size == 2 || request.size == 4 || request.size == 8) &&
         request.offset <= PANTHOR_VGPU_WINDOW_SIZE - request.size;
}

}  // namespace

/// What each request does. False: it makes no sense.
struct RegisterLink::Ops {
  struct Call {
    const panthor_vgpu_request& request;
    Chain& chain;
    uint64_t value = 0;     ///< of the reply
    std::string text = {};  ///< behind the reply
  };
  using Function = bool (*)(RegisterLink&, Call&);

  static bool hello(RegisterLink& self, Call& call) {
    self.irqs_.reset();
    call.value = PANTHOR_VGPU_WIRE_VERSION;
    return true;
  }

  static bool read(RegisterLink& self, Call& call) {
    if (!valid_access(call.request)) return false;
    ++self.reads_;
    call.value = self.device_.read(call.request.offset, call.request.size);
    if (self.log_accesses_)
      self.log_.event("transport.read", "offset={:#x} size={} value={:#x}", call.request.offset,
                      call.request.size, call.value);
    return true;
  }

  static bool write(RegisterLink& self, Call& call) {
    if (!valid_access(call.request)) return false;
    ++self.writes_;
    if (self.log_accesses_)
      self.log_.event("transport.write", "offset={:#x} size={} value={:#x}", call.request.offset,
                      call.request.size, call.request.value);
    self.device_.write(call.request.offset, call.request.size, call.request.value);
    return true;
  }

  static bool shadow(RegisterLink& self, Call& call) {
    self.device_.detach_shadow();
    if (call.request.value == 0) return true;
    const std::span<std::byte> bytes = self.memory_.span(call.request.value, PANTHOR_VGPU_WINDOW_SIZE);
    if (bytes.empty() || call.request.value % 4096) return false;
    self.device_.attach_shadow({reinterpret_cast<uint32_t*>(bytes.data()), bytes.size() / 4});
    return true;
  }

  static bool trap_map(RegisterLink& self, Call& call) {
    const std::span<std::byte> bytes = self.memory_.span(call.request.value, PANTHOR_VGPU_TRAP_MAP_SIZE);
    if (bytes.empty()) return false;
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
    for (uint32_t word = 0; word < PANTHOR_VGPU_WINDOW_SIZE / 4; ++word)
      if (Device::is_volatile(word * 4)) bytes[word / 8] |= std::byte{1} << (word % 8);
    return true;
  }

  static bool end_of_interrupt(RegisterLink& self, Call& call) {
    return self.irqs_.end_of_interrupt(call.request.value);
  }

  static bool control(RegisterLink& self, Call& call) {
    if (call.request.value > PANTHOR_VGPU_CONTROL_MAX) return false;
    std::vector<char> line(call.request.value);
    if (call.chain.read(sizeof call.request, std::as_writable_bytes(std::span(line))) != line.size())
      return false;
    call.text = self.control_({line.data(), line.size()});
    call.text.resize(std::min<size_t>(call.text.size(), PANTHOR_VGPU_CONTROL_MAX));
    call.value = call.text.size();
    return true;
  }

  static constexpr auto table() {
    std::array<Function, PANTHOR_VGPU_OP_CONTROL + 1> rows{};
    rows[PANTHOR_VGPU_OP_HELLO] = hello;
    rows[PANTHOR_VGPU_OP_READ] = read;
    rows[PANTHOR_VGPU_OP_WRITE] = write;
    rows[PANTHOR_VGPU_OP_SHADOW] = shadow;
    rows[PANTHOR_VGPU_OP_TRAP_MAP] = trap_map;
    rows[PANTHOR_VGPU_OP_EOI] = end_of_interrupt;
    rows[PANTHOR_VGPU_OP_CONTROL] = control;
    return rows;
  }
};

RegisterLink::RegisterLink(Device& device, Memory& memory, IrqDelivery& irqs, EventLog& log, Control control)
    : device_(device),
      memory_(memory),
      irqs_(irqs),
      log_(log),
      control_(std::move(control)),
      reads_(log.counter("transport.reads")),
      writes_(log.counter("transport.writes")) {}

size_t RegisterLink::serve_one(Chain& chain) {
  panthor_vgpu_request request{};
  if (chain.read(0, std::as_writable_bytes(std::span(&request, 1))) != sizeof request)
    throw ProtocolError("cmd queue: a request cut short");

  static constexpr auto ops = Ops::table();
  Ops::Call call{.request = request, .chain = chain};
  const Ops::Function op = request.op < ops.size() ? ops[request.op] : nullptr;
  const bool good = op && op(*this, call);
  if (!good) {
    ++log_.counter("transport.bad_requests");
    log_.event("transport.bad_request", "op={} size={} offset={:#x} value={:#x}", request.op, request.size,
               request.offset, request.value);
  }
  if (chain.writable_size() == 0) return 0;

  const panthor_vgpu_reply reply{
      .status = static_cast<uint32_t>(good ? PANTHOR_VGPU_OK : PANTHOR_VGPU_BAD_REQUEST),
      .reserved = 0,
      .value = call.value};
  size_t written = chain.write(0, std::as_bytes(std::span(&reply, 1)));
  if (written != sizeof reply) throw ProtocolError("cmd queue: no room for the reply");
  written += chain.write(written, std::as_bytes(std::span(call.text)));
  completed_ = true;
  return written;
}

size_t RegisterLink::serve(Virtqueue& queue, size_t limit) {
  size_t served = 0;
  for (; served < limit; ++served) {
    auto chain = queue.pop(memory_);
    if (!chain) break;
    const size_t written = serve_one(*chain);
    queue.push(*chain, written);
  }
  return served;
}

}  // namespace vgpu::transport
