// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>

#include "transport/control_commands.hpp"
#include "transport/control_socket.hpp"
#include "transport/peer_cpu_time.hpp"
#include "transport/reactor.hpp"

namespace vgpu::transport {
namespace {

using Origin = ControlCommands::Origin;

class ControlTest : public ::testing::Test {
 protected:
  std::string run(std::string_view line, Origin origin = Origin::host) {
    return commands.execute(line, origin);
  }

  VirtualClock clock;
  EventLog log{clock};
  FaultInjector faults{log};
  bool logging = true, ended = false;
  ControlCommands commands{faults, log, {[this](bool on) { logging = on; }, [this] { ended = true; }}};
};

TEST_F(ControlTest, EveryAnswerEndsWithOkOrError) {
  for (const char* line : {"help", "fault list", "counters", "log off", "  counters \r"})
    EXPECT_TRUE(run(line).ends_with("ok\n")) << line;
  for (const char* line :
       {"", "   ", "nonsense", "fault", "fault arm", "fault arm a b", "fault arm no-such-fault", "log",
        "log maybe", "help me", "fault disarm no-such-fault", "fault arm csg-ack-lost:after=x"})
    EXPECT_TRUE(run(line).starts_with("error: ")) << line;
}

TEST_F(ControlTest, FaultsAreArmedAndDisarmed) {
  EXPECT_EQ(run("fault arm ping-ack-lost:after=2:count=3"), "ok\n");
  ASSERT_EQ(faults.armed().size(), 1U);
  EXPECT_EQ(faults.armed()[0].after, 2U);
  EXPECT_NE(run("fault list").find("armed ping-ack-lost after=2 count=3"), std::string::npos);
  EXPECT_EQ(run("fault disarm ping-ack-lost"), "ok\n");
  EXPECT_TRUE(faults.armed().empty());
}

TEST_F(ControlTest, TheGuestCannotEndTheModel) {
  EXPECT_TRUE(run("quit", Origin::guest).starts_with("error: "));
  EXPECT_FALSE(ended);
  EXPECT_EQ(run("quit"), "ok\n");
  EXPECT_TRUE(ended);
}

TEST_F(ControlTest, TheLogIsSwitched) {
  run("log off");
  EXPECT_FALSE(logging);
  run("log on", Origin::guest);
  EXPECT_TRUE(logging);
}

TEST_F(ControlTest, CountersAreListed) {
  log.counter("some.thing") = 5;
  EXPECT_EQ(run("counters"), "counter some.thing 5\nok\n");
}

TEST_F(ControlTest, TheCpuTimeOfAGuestThatIsNotThereIsAnError) {
  EXPECT_TRUE(run("cputime", Origin::guest).starts_with("error: "));
}

TEST(PeerCpuTime, GrowsWithWhatThePeerComputes) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const UniqueFd ours(ends[0]), theirs(ends[1]);
  const PeerCpuTime time(ours.get());  // the peer is this process
  const uint64_t before = time.ns();
  while (time.ns() == before) {
  }
  EXPECT_GT(time.ns(), before);
}

TEST_F(ControlTest, TheSocketAnswersLineByLine) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("control-test-" + std::to_string(::getpid()));
  Reactor reactor;
  ControlSocket socket(path, reactor, [this](std::string_view line) { return run(line); });
  UniqueFd client(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  ASSERT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::string lines = "counters\nnonsense\nhalf a li";
  ASSERT_TRUE(send_all(client.get(), std::as_bytes(std::span(lines))));
  reactor.poll(0);
  reactor.poll(0);
  std::array<char, 4096> answer{};
  const ssize_t got = ::recv(client.get(), answer.data(), answer.size(), 0);
  ASSERT_GT(got, 0);
  const std::string text(answer.data(), static_cast<size_t>(got));
  EXPECT_TRUE(text.starts_with("ok\nerror: unknown command")) << text;

  const std::string flood(ControlSocket::max_line + 4096, 'x');
  send_all(client.get(), std::as_bytes(std::span(flood)));
  for (int i = 0; i < 4; ++i) reactor.poll(0);
  EXPECT_LE(::recv(client.get(), answer.data(), answer.size(), 0), 0) << "dropped";
}

}  // namespace
}  // namespace vgpu::transport
