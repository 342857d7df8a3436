// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "channel/job.hpp"
#include "supervisor/guest_setup.hpp"
#include "supervisor/kernel_modules.hpp"
#include "supervisor/outcome.hpp"
#include "supervisor/run_directory.hpp"

namespace guests {
namespace {

namespace fs = std::filesystem;

class Modules : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& depends) const {
    fs::create_directories(directory.path() / "drivers");
    std::ofstream(directory.path() / "drivers" / (name + ".ko"), std::ios::binary)
        << "ELF and so on" << std::string("\0license=GPL\0depends=", 21) << depends
        << std::string("\0name=x\0", 8);
  }
  RunDirectory directory;
};

TEST_F(Modules, ClosureIsInLoadingOrder) {
  write("panthor", "drm_exec,gpu-sched");
  write("gpu-sched", "");
  write("drm_exec", "drm");
  const KernelModules modules(directory.path());
  std::vector<std::string> names;
  for (const fs::path& file : modules.closure({"governor_simpleondemand", "panthor"}))
    names.push_back(KernelModules::module_name(file));
  EXPECT_EQ(names, (std::vector<std::string>{"drm_exec", "gpu_sched", "panthor"}));
}

TEST_F(Modules, DashAndUnderscoreAreOne) {
  write("gpu-sched", "");
  const KernelModules modules(directory.path());
  EXPECT_TRUE(modules.contains("gpu_sched"));
  EXPECT_TRUE(modules.contains("gpu-sched"));
  EXPECT_FALSE(modules.contains("panthor"));
}

TEST(RunDirectory, GoesAway) {
  fs::path path;
  {
    const RunDirectory directory;
    path = directory.path();
    std::ofstream(path / "file") << "x";
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(RunDirectory, OneOfADeadProcessIsRemovedByTheNext) {
  const fs::path stale = fs::temp_directory_path() / "panthor-guest.2147483646.abcdef";
  fs::create_directories(stale / "sub");
  const RunDirectory directory;
  EXPECT_FALSE(fs::exists(stale));
}

TEST(Binds, AreParsed) {
  const auto same = parse_bind("/tmp");
  EXPECT_EQ(same.host, same.guest);
  EXPECT_FALSE(same.read_only);
  EXPECT_TRUE(parse_bind("/tmp:ro").read_only);
  const auto other = parse_bind("/tmp:/mnt/x/:ro");
  EXPECT_EQ(other.guest, "/mnt/x/");
  EXPECT_TRUE(other.read_only);
  for (const char* wrong : {"", "/no/such/directory", "/tmp:relative", "/tmp:/"})
    EXPECT_THROW((void)parse_bind(wrong), UsageError) << wrong;
}

TEST(Job, SurvivesTheTrip) {
  Job job;
  job.command = {"sh", "-c", "echo \"a b\"\n\t'"};
  job.modules = {{"/modules/panthor.ko", "a=1 b=2"}};
  job.binds = {{"/h", "/g", true}};
  job.input = Job::Input::file;
  job.terminal = true;
  const Job back = job_from_json(to_json(job));
  EXPECT_EQ(back.command, job.command);
  EXPECT_EQ(back.modules[0].parameters, "a=1 b=2");
  EXPECT_TRUE(back.binds[0].read_only);
  EXPECT_EQ(back.input, Job::Input::file);
  EXPECT_THROW((void)job_from_json("{"), std::runtime_error);
}

TEST(Sizes, AreInBytes) {
  EXPECT_EQ(parse_size("512M"), uint64_t{512} << 20);
  EXPECT_EQ(parse_size("2G"), uint64_t{2} << 30);
  EXPECT_THROW((void)parse_size("x"), std::runtime_error);
}

TEST(Outcome, ExitCodes) {
  using Kind = Outcome::Kind;
  EXPECT_EQ((Outcome{.kind = Kind::exited, .exit_status = 7}.exit_code()), 7);
  EXPECT_EQ((Outcome{.kind = Kind::exited, .dmesg_line = "WARNING"}.exit_code()), ExitCode::dmesg);
  EXPECT_EQ((Outcome{.kind = Kind::exited, .exit_status = 7, .dmesg_line = "WARNING"}.exit_code()), 7);
  EXPECT_EQ((Outcome{.kind = Kind::signalled, .signal = 15}.exit_code()), 143);
  EXPECT_EQ((Outcome{.kind = Kind::deadline}.exit_code()), ExitCode::deadline);
  EXPECT_EQ(Outcome{}.exit_code(), ExitCode::lab);
}

}  // namespace
}  // namespace guests
