// SPDX-License-Identifier: MIT
#include "transport/virtqueue.hpp"

#include <gtest/gtest.h>

#include <array>

#include "transport/protocol_error.hpp"
#include "transport/ring.hpp"

namespace vgpu::transport {
namespace {

using testing::Ring;

TEST(Virtqueue, ARequestGoesThroughAndComesBack) {
  Ring ring;
  const std::string text = "question";
  ring.request(2, std::as_bytes(std::span(text)), 16);
  auto chain = ring.queue.pop(ring.memory);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->head(), 2);
  EXPECT_EQ(chain->readable_size(), text.size());
  EXPECT_EQ(chain->writable_size(), 16U);
  std::string copy(text.size(), ' ');
  EXPECT_EQ(chain->read(0, std::as_writable_bytes(std::span(copy))), text.size());
  EXPECT_EQ(copy, text);

  const std::string answer = "answer";
  EXPECT_EQ(chain->write(3, std::as_bytes(std::span(answer))), answer.size());
  ring.queue.push(*chain, 9);
  EXPECT_EQ(ring.used_count(), 1);
  EXPECT_EQ(ring.get<uint32_t>(Ring::used + 4), 2U);
  EXPECT_EQ(ring.get<uint32_t>(Ring::used + 8), 9U);
  EXPECT_EQ(ring.get<char>(Ring::reply_address(2) + 3), 'a');
  EXPECT_FALSE(ring.queue.pop(ring.memory));
}

TEST(Virtqueue, PartsAreOneStreamOfBytes) {
  Ring ring;
  for (uint16_t i = 0; i < 3; ++i) {
    ring.put(Ring::buffers + 0x100U * i, static_cast<char>('a' + i));
    ring.describe(
        i, {Ring::buffers + 0x100U * i, 1, i < 2 ? Ring::next : uint16_t{0}, static_cast<uint16_t>(i + 1)});
  }
  ring.offer(0);
  auto chain = ring.queue.pop(ring.memory);
  std::array<char, 8> bytes{};
  EXPECT_EQ(chain->read(1, std::as_writable_bytes(std::span(bytes))), 2U);
  EXPECT_EQ(bytes[0], 'b');
  EXPECT_EQ(bytes[1], 'c');
}

TEST(Virtqueue, IndicesWrapAround) {
  Ring ring;
  ring.describe(0, {Ring::buffers, 4, 0, 0});
  for (int i = 0; i < 70000; ++i) {
    ring.offer(0);
    auto chain = ring.queue.pop(ring.memory);
    ASSERT_TRUE(chain);
    ring.queue.push(*chain, 0);
  }
  EXPECT_EQ(ring.used_count(), static_cast<uint16_t>(70000));
}

TEST(Virtqueue, HostileRingsAreRefused) {
  using Spoil = void (*)(Ring&);
  const std::array<std::pair<const char*, Spoil>, 8> cases{{
      {"more available than entries",
       [](Ring& r) { r.put(Ring::available + 2, uint16_t{Ring::entries + 1}); }},
      {"head out of range", [](Ring& r) { r.offer(Ring::entries); }},
      {"next out of range",
       [](Ring& r) {
         r.describe(0, {Ring::buffers, 4, Ring::next, 0xffff});
         r.offer(0);
       }},
      {"loop",
       [](Ring& r) {
         r.describe(0, {Ring::buffers, 4, Ring::next, 0});
         r.offer(0);
       }},
      {"buffer outside memory",
       [](Ring& r) {
         r.describe(0, {Ring::base + Ring::size - 2, 4, 0, 0});
         r.offer(0);
       }},
      {"buffer that wraps around",
       [](Ring& r) {
         r.describe(0, {~uint64_t{0} - 1, 0xffffffff, 0, 0});
         r.offer(0);
       }},
      {"indirect",
       [](Ring& r) {
         r.describe(0, {Ring::buffers, 16, Ring::indirect, 0});
         r.offer(0);
       }},
      {"readable behind writable",
       [](Ring& r) {
         r.describe(0, {Ring::buffers, 4, Ring::next | Ring::write, 1});
         r.describe(1, {Ring::buffers, 4, 0, 0});
         r.offer(0);
       }},
  }};
  for (const auto& [name, spoil] : cases) {
    Ring ring;
    spoil(ring);
    EXPECT_THROW((void)ring.queue.pop(ring.memory), ProtocolError) << name;
  }
}

TEST(Virtqueue, AnEmptyBufferIsRefused) {
  Ring ring;
  ring.describe(0, {Ring::buffers, 0, 0, 0});
  ring.offer(0);
  EXPECT_THROW((void)ring.queue.pop(ring.memory), ProtocolError);
}

TEST(Virtqueue, SizesThatCannotBeAreRefused) {
  Virtqueue queue;
  for (const uint32_t size : {0U, 3U, 65536U, 0x80000000U})
    EXPECT_THROW(queue.set_size(size), ProtocolError) << size;
  EXPECT_THROW(queue.set_rings({}, {}, {}), ProtocolError);
  queue.set_size(256);
  EXPECT_THROW(queue.set_rings({}, {}, {}), ProtocolError);
  EXPECT_FALSE(queue.ready());
}

TEST(Virtqueue, TheDriverMayDeclineToBeTold) {
  Ring ring;
  EXPECT_TRUE(ring.queue.wants_notification());
  ring.put(Ring::available, uint16_t{1});
  EXPECT_FALSE(ring.queue.wants_notification());
  ring.queue.suppress_kicks(true);
  EXPECT_EQ(ring.get<uint16_t>(Ring::used), 1);
  ring.queue.suppress_kicks(false);
  EXPECT_EQ(ring.get<uint16_t>(Ring::used), 0);
}

}  // namespace
}  // namespace vgpu::transport
