// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "device.hpp"
#include "panthor_vgpu_wire.h"
#include "transport/irq_delivery.hpp"
#include "transport/virtqueue.hpp"

namespace vgpu::transport {

/// Serves the cmd queue: register accesses and the other requests of panthor_vgpu_wire.h.
///
/// A request that makes no sense is answered PANTHOR_VGPU_BAD_REQUEST and counted; one that breaks the
/// framing throws ProtocolError.
class RegisterLink {
 public:
  /// Runs one control command, returns its answer.
  using Control = std::function<std::string(std::string_view line)>;

  RegisterLink(Device& device, Memory& memory, IrqDelivery& irqs, EventLog& log, Control control);
  ~RegisterLink() { device_.detach_shadow(); }
  RegisterLink(const RegisterLink&) = delete;
  RegisterLink& operator=(const RegisterLink&) = delete;

  /// Logs every access the device sees ("transport.read", "transport.write"); shadow reads never get here.
  void log_accesses(bool on) noexcept { log_accesses_ = on; }

  /// Serves up to `limit` requests of a ready queue; returns how many there were.
  size_t serve(Virtqueue& queue, size_t limit = 256);
  /// Must the driver be told that requests are done? True once after a serve() that gave back answers.
  [[nodiscard]] bool take_completed() noexcept { return std::exchange(completed_, false); }
  /// Guest memory is about to change: stop using the shadow.
  void detach_shadow() { device_.detach_shadow(); }

 private:
  struct Ops;
  friend struct Ops;

  size_t serve_one(Chain& chain);

  Device& device_;
  Memory& memory_;
  IrqDelivery& irqs_;
  EventLog& log_;
  Control control_;
  uint64_t& reads_;
  uint64_t& writes_;
  bool log_accesses_ = false;
  bool completed_ = false;
};

}  // namespace vgpu::transport
