// SPDX-License-Identifier: MIT
#pragma once

#include "device.hpp"
#include "transport/irq_delivery.hpp"
#include "transport/reactor.hpp"
#include "transport/register_link.hpp"
#include "transport/vhost_user.hpp"

namespace vgpu::transport {

/// The device at the end of a vhost-user connection: what both time loops drive.
class GuestLink {
 public:
  static constexpr size_t cmd_queue = 0, irq_queue = 1, queue_count = 2;

  GuestLink(Device& device, VhostUser& vhost, IrqDelivery& irqs, RegisterLink& registers)
      : device_(device), vhost_(vhost), irqs_(irqs), registers_(registers) {}

  /// Registers the connection with the reactor; the guest closing it stops the reactor.
  void connect(UniqueFd connection, Reactor& reactor);
  [[nodiscard]] bool connected() const noexcept { return static_cast<bool>(connection_); }

  /// One turn: serve waiting requests, run model events that are due, deliver interrupts. False: nothing to
  /// do.
  bool turn();

  /// Guest requests only; true when there were any.
  bool serve_requests();
  /// Interrupts only.
  void deliver_irqs();

  [[nodiscard]] Device& device() noexcept { return device_; }
  [[nodiscard]] VhostUser& vhost() noexcept { return vhost_; }

 private:
  void receive(Reactor& reactor);

  Device& device_;
  VhostUser& vhost_;
  IrqDelivery& irqs_;
  RegisterLink& registers_;
  UniqueFd connection_;
};

}  // namespace vgpu::transport
