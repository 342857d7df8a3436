// SPDX-License-Identifier: MIT
#include "report/junit.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "report/markup.hpp"

namespace harness {
namespace {

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

class JunitReporter final : public Reporter {
 public:
  explicit JunitReporter(const std::string& path) : path_(path), out_(path) { check(); }

  void begin(const std::string& title, const std::vector<std::string>& steps) override {
    title_ = title;
    suite_ = title.substr(0, title.find(' '));
    steps_ = steps;
  }

  void step(const StepResult& result) override {
    ++count_;
    failed_ += result.failed();
    skipped_ += !result.passed() && !result.failed();
    total_ += result.duration;
    std::string inside;
    if (result.failed()) {
      std::string evidence;
      for (const std::string& line : result.evidence) evidence += xml_escape(line) + '\n';
      inside = fmt::format("<failure message=\"{}\">{}</failure>", xml_escape(result.error), evidence);
    } else if (!result.passed()) {
      inside = skip(result.skipped);
    }
    testcase(result.name, seconds(result.duration), inside);
  }

  void end(const Summary&) override {
    while (count_ < steps_.size()) {
      ++skipped_;
      testcase(steps_[count_++], 0, skip("not reached"));
    }
    out_ << fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n"
        "<properties><property name=\"title\" value=\"{}\"/></properties>\n{}</testsuite>\n</testsuites>\n",
        xml_escape(suite_), count_, failed_, skipped_, seconds(total_), xml_escape(title_), cases_);
    out_.flush();
    check();
  }

 private:
  static std::string skip(const std::string& why) {
    return fmt::format("<skipped message=\"{}\"/>", xml_escape(why));
  }

  void testcase(const std::string& name, double time, const std::string& inside) {
    cases_ += fmt::format("<testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">{}</testcase>\n",
                          xml_escape(suite_), xml_escape(name), time, inside);
  }

  void check() const {
    if (!out_) throw std::system_error(errno, std::generic_category(), path_);
  }

  std::string path_;
  std::ofstream out_;
  std::string title_;
  std::string suite_;
  std::vector<std::string> steps_;
  std::string cases_;
  size_t count_ = 0;
  unsigned failed_ = 0;
  unsigned skipped_ = 0;
  std::chrono::nanoseconds total_{0};
};

}  // namespace

std::string xml_escape(std::string_view text) {
  std::string out = markup_escape(text);
  for (char& c : out) {
    if (c == '\t' || c == '\n') c = ' ';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return out;
}

std::unique_ptr<Reporter> make_junit_reporter(const std::string& path) {
  return std::make_unique<JunitReporter>(path);
}

}  // namespace harness
