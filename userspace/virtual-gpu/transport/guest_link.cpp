// SPDX-License-Identifier: MIT
#include "transport/guest_link.hpp"

#include "transport/unix_socket.hpp"

namespace vgpu::transport {

void GuestLink::connect(UniqueFd connection, Reactor& reactor) {
  connection_ = std::move(connection);
  reactor.add(connection_.get(), [this, &reactor] { receive(reactor); });
}

void GuestLink::receive(Reactor& reactor) {
  auto message = receive_message(connection_.get());
  if (!message) {
    reactor.stop();
    return;
  }
  // The shadow lives in the memory that a new table would unmap.
  const bool remaps = message->header.request == static_cast<uint32_t>(vhost::Request::set_mem_table);
  if (remaps) registers_.detach_shadow();
  const std::vector<std::byte> reply = vhost_.handle(std::move(*message));
  if (remaps) device_.memory_changed();
  if (!reply.empty() && !send_all(connection_.get(), reply)) reactor.stop();
}

bool GuestLink::serve_requests() {
  Virtqueue& cmd = vhost_.queue(cmd_queue);
  if (!cmd.ready()) return false;
  const bool any = registers_.serve(cmd) != 0;
  if (registers_.take_completed()) vhost_.call(cmd_queue);
  return any;
}

void GuestLink::deliver_irqs() {
  if (irqs_.deliver(vhost_.queue(irq_queue), vhost_.memory())) vhost_.call(irq_queue);
}

bool GuestLink::turn() {
  const bool served = serve_requests();
  const bool ran = device_.events().run_due() != 0;
  deliver_irqs();
  return served || ran;
}

}  // namespace vgpu::transport
