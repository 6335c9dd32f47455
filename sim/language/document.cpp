// Reads YAML into trees of values; the only place that knows the YAML library.
#include "sim/language/document.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "files/input_file.hpp"
#include "sim/language/text_file.hpp"

namespace sim::language {
namespace {

using netmodels::Error;
using netmodels::refuse;

/// Carries an Error out of the parser's callbacks; caught in this file.
struct Refusal {
  Error error;
};

/// Builds the tree from the parser's events and stops at the first unsupported event.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& source, const DocumentLimits& limits)
      : source_(std::make_shared<const std::string>(source)), limits_(limits) {}

  std::optional<Value> take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (root_) fail(mark, "second YAML document", "write one document per file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    count(mark, 1);
    insert(Value::nothing(origin(mark)), mark, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      fail(mark, "an alias refers to a value that contains it", "refer to a complete value");
    count(mark, found->second.nodes);
    insert(found->second.value, mark, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    check_tag(mark, tag);
    count(mark, 1);
    const std::string line = text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;  // block text
    check_line(mark, line);
    if (awaits_key()) return take_key(mark, line);
    insert(Value::scalar(line, origin(mark), tag == "!"), mark, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(Value::list({}, origin(mark)), mark, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(Value::map({}, origin(mark)), mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Value value;
    YAML::Mark mark;
    YAML::anchor_t anchor = 0;
    std::vector<Member> members;
    std::optional<std::pair<std::string, Origin>> key;
    std::unordered_map<std::string, YAML::Mark> keys;
  };

  struct Anchored {
    Value value;
    std::size_t nodes;
  };

  [[nodiscard]] Origin origin(const YAML::Mark& mark) const {
    return Origin(source_, Position{mark.line + 1, mark.column + 1});
  }

  [[noreturn]] void fail(const YAML::Mark& mark, std::string what, std::string hint) const {
    throw Refusal{{origin(mark).text(), std::move(what), std::move(hint)}};
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    const bool plain = tag.empty() || tag == "?" || tag == "!";
    if (!plain) fail(mark, "the tag `" + tag + "` is not accepted", "leave it out");
  }

  /// Escapes of YAML can write what its text may not contain: names and questions go to terminals.
  void check_line(const YAML::Mark& mark, const std::string& text) const {
    if (const auto plain = files::check_text(text, ""); !plain)
      fail(mark, "an escape in quotes writes a control character", "write plain text");
    if (text.find_first_of("\r\n") != std::string::npos)
      fail(mark, "the text has several lines", "write it on one line, or fold it by `>`");
  }

  [[nodiscard]] bool awaits_key() const {
    return !open_.empty() && open_.back().value.is_map() && !open_.back().key;
  }

  void take_key(const YAML::Mark& mark, const std::string& text) {
    Frame& frame = open_.back();
    if (text == "<<")
      fail(mark, "merge keys (`<<`) are not supported", "write out the keys, or name a base file by `use`");
    const auto [seen, added] = frame.keys.emplace(text, mark);
    if (!added) {
      fail(mark, "duplicate key `" + text + "`; the first is at " + origin(seen->second).text(),
           "keep one of them");
    }
    frame.key = {text, origin(mark)};
  }

  void open(Value value, const YAML::Mark& mark, YAML::anchor_t anchor) {
    count(mark, 1);
    if (awaits_key()) fail(mark, "expected a key, found a list or a map", "write plain text as the key");
    const int depth = static_cast<int>(open_.size()) + 1;
    if (depth > limits_.depth)
      fail(mark, "values are nested deeper than " + std::to_string(limits_.depth) + " levels",
           "reduce the nesting");
    open_.push_back(Frame{std::move(value), mark, anchor, {}, std::nullopt, {}});
  }

  void close() {
    Frame frame = std::move(open_.back());
    open_.pop_back();
    if (frame.value.is_map()) frame.value = Value::map(std::move(frame.members), frame.value.origin());
    insert(std::move(frame.value), frame.mark, frame.anchor);
  }

  void count(const YAML::Mark& mark, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ <= limits_.nodes) return;
    fail(mark,
         "the document has more than " + std::to_string(limits_.nodes) + " values after expanding aliases",
         "make it smaller");
  }

  void insert(Value value, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (awaits_key()) fail(mark, "a key is missing or is not plain text", "write `key: value`");
    if (anchor != 0) anchors_.insert_or_assign(anchor, Anchored{value, value.nodes()});
    if (open_.empty())
      root_ = std::move(value);
    else
      place(open_.back(), std::move(value));
  }

  static void place(Frame& frame, Value value) {
    if (!frame.value.is_map()) return frame.value.append(std::move(value));
    // The parser places an empty value at the next token, which may be lines away from its key.
    if (value.kind() == Value::Kind::nothing) value = Value::nothing(frame.key->second);
    frame.members.push_back(
        Member{std::move(frame.key->first), std::move(frame.key->second), std::move(value)});
    frame.key.reset();
  }

  std::shared_ptr<const std::string> source_;
  DocumentLimits limits_;
  std::vector<Frame> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::optional<Value> root_;
  std::size_t nodes_ = 0;
};

/// The comment on line 1, without its mark.
std::string first_comment(std::string_view text) {
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  if (!line.starts_with('#')) return {};
  const std::size_t begin = line.find_first_not_of("# \t");
  if (begin == std::string_view::npos) return {};
  return std::string(line.substr(begin, line.find_last_not_of(" \t") - begin + 1));
}

/// The parser's complaint without the position that it repeats, in our form.
Error complaint(const YAML::Exception& refused, const std::string& source) {
  const bool placed = refused.mark.line >= 0;
  const Origin origin(std::make_shared<const std::string>(source),
                      Position{refused.mark.line + 1, refused.mark.column + 1});
  return {placed ? origin.text() : source, "invalid YAML: " + refused.msg,
          "check blanks, colons, quotes and brackets before this position"};
}

/// A tabulator before the first word of a line, which YAML does not take for indentation.
std::optional<Position> indenting_tab(std::string_view text) {
  int line = 1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view blanks = text.substr(0, std::min(text.find_first_not_of(" \t"), end));
    if (const std::size_t tab = blanks.find('\t'); tab != std::string_view::npos)
      return Position{line, static_cast<int>(tab) + 1};
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
  }
  return std::nullopt;
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text;
}

/// @returns the value, of kind nothing where the text has none
netmodels::Result<Value> parse_root(std::string_view text, const std::string& source,
                                    const DocumentLimits& limits) {
  if (text.size() > limits.bytes) {
    return refuse(source, "the text has more than " + std::to_string(limits.bytes) + " bytes",
                  "make it smaller");
  }
  if (const auto checked = files::check_text(text, source); !checked) return tl::unexpected(checked.error());
  TreeBuilder builder(source, limits);
  try {
    std::istringstream stream{std::string(without_mark(text))};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refusal& refusal) {
    return tl::unexpected(refusal.error);
  } catch (const YAML::Exception& refused) {
    if (const auto tab = indenting_tab(without_mark(text)))
      return refuse(Origin(std::make_shared<const std::string>(source), *tab).text(),
                    "a tabulator indents the line", "indent by blanks");
    return tl::unexpected(complaint(refused, source));
  }
  return builder.take().value_or(Value{});
}

}  // namespace

netmodels::Result<Document> parse_document(std::string_view text, const std::string& source,
                                           const DocumentLimits& limits) {
  GRADSIM_TRY(root, parse_root(text, source, limits));
  if (root->kind() == Value::Kind::nothing)
    return refuse(source, "the file is empty", "write a map of keys, such as `workload: resnet50_v100`");
  return Document{.root = std::move(*root), .question = first_comment(without_mark(text))};
}

/// Text of standard input. A command may read its file several times, so that what comes from a pipe is kept.
static netmodels::Result<std::string> standard_input() {
  if (files::is_input_a_file()) return files::read_input("-");
  static const netmodels::Result<std::string> text = files::read_input("-");
  return text;
}

namespace {

/// Documents that were parsed, with the text that each was parsed from: commands read the same files of data
/// many times. Whoever reads gets a copy, as if it had been parsed again.
class ParsedDocuments {
 public:
  /// The document of this text; nothing where it was not parsed before under the same name and limits.
  std::optional<Document> find(const std::string& source, std::string_view text,
                               const DocumentLimits& limits) {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.find(source);
    if (found == kept_.end() || found->second.text != text || found->second.limits != limits)
      return std::nullopt;
    return found->second.document;
  }

  void keep(const std::string& source, std::string text, const DocumentLimits& limits,
            const Document& document) {
    constexpr std::size_t most_bytes = 2'000'000;  // text; a tree takes about 20 times as much
    if (text.size() > most_bytes / 8) return;
    const std::scoped_lock lock(mutex_);
    if (bytes_ + text.size() > most_bytes) {
      kept_.clear();
      bytes_ = 0;
    }
    bytes_ += text.size();
    kept_.insert_or_assign(source, Kept{std::move(text), limits, document});
  }

 private:
  struct Kept {
    std::string text;
    DocumentLimits limits;
    Document document;
  };

  std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::unordered_map<std::string, Kept> kept_;
};

ParsedDocuments& parsed_documents() {
  static ParsedDocuments documents;
  return documents;
}

}  // namespace

netmodels::Result<Document> read_document(const std::filesystem::path& path, const DocumentLimits& limits) {
  GRADSIM_TRY(text, path == "-" ? standard_input() : files::read_text(path, {limits.bytes}));
  const std::string source = path.string();
  if (auto known = parsed_documents().find(source, *text, limits)) return std::move(*known);
  auto document = parse_document(*text, source, limits);
  if (document) parsed_documents().keep(source, std::move(*text), limits, *document);
  return document;
}

netmodels::Result<Value> parse_value(std::string_view text, const Origin& origin) {
  const auto root = parse_root(text, origin.source(), {});
  if (!root) return refuse(origin.text(), root.error().what, root.error().hint);
  if (root->kind() == Value::Kind::nothing)
    return refuse(origin.text(), fmt::format("`{}` leaves the key without a value", text), "write a value");
  return with_origin(*root, origin);
}

}  // namespace sim::language
