//===- Npz.cpp - NumPy's array archives -----------------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Npy.h"

#include "NpyFormat.h"

#include <zip.h>

#include <algorithm>
#include <memory>

using namespace mlir::mha;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {
struct CloseArchive {
  void operator()(zip_t *archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;

/// One array file within an archive, read from front to back.
class Member {
public:
  static Expected<Member> open(zip_t *archive, StringRef name);

  /// Bytes of the unpacked member, as the archive claims.
  uint64_t getSize() const { return size; }
  /// Reads exactly `count` bytes.
  Error read(char *buffer, uint64_t count);
  /// An error unless the member ends here; its checksum is compared by then.
  Error expectEnd();

private:
  Member(zip_file_t *file, uint64_t size) : file(file), size(size) {}
  Error failure() { return createStringError(zip_file_strerror(file.get())); }

  std::unique_ptr<zip_file_t, CloseMember> file;
  uint64_t size;
};
} // namespace

static Expected<Archive> openArchive(StringRef path) {
  if (Error error = checkRegularFile(path))
    return error;
  int code = 0;
  Archive archive(zip_open(path.str().c_str(), ZIP_RDONLY, &code));
  if (archive)
    return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string message = zip_error_strerror(&error);
  zip_error_fini(&error);
  return createStringError("expected a zip archive: " + message);
}

/// `'k', 'q', 'v'`: what there is, for the message about what there is not.
static std::string listMembers(zip_t *archive) {
  constexpr zip_int64_t limit = 10;
  zip_int64_t count = zip_get_num_entries(archive, 0);
  std::string list;
  for (zip_int64_t i = 0; i < std::min(count, limit); ++i) {
    const char *raw = zip_get_name(archive, i, ZIP_FL_ENC_GUESS);
    StringRef name = raw ? raw : "";
    name.consume_back(".npy");
    list += (list.empty() ? "" : ", ") + quoteForMessage(name);
  }
  if (list.empty())
    return "no array";
  return count > limit ? list + ", ..." : list;
}

Expected<Member> Member::open(zip_t *archive, StringRef name) {
  zip_int64_t index =
      zip_name_locate(archive, (name + ".npy").str().c_str(), 0);
  if (index < 0)
    return createStringError("expected an array " + quoteForMessage(name) +
                             ", found " + listMembers(archive));
  zip_stat_t status;
  zip_file_t *file = nullptr;
  if (zip_stat_index(archive, index, 0, &status) == 0 &&
      (status.valid & ZIP_STAT_SIZE))
    file = zip_fopen_index(archive, index, 0);
  if (!file)
    return createStringError("array " + quoteForMessage(name) + ": " +
                             zip_strerror(archive));
  return Member(file, status.size);
}

Error Member::read(char *buffer, uint64_t count) {
  while (count > 0) {
    zip_int64_t got = zip_fread(file.get(), buffer, count);
    if (got < 0)
      return failure();
    if (got == 0)
      return createStringError("truncated: expected " + Twine(count) +
                               " more bytes, found its end");
    buffer += got;
    count -= got;
  }
  return Error::success();
}

Error Member::expectEnd() {
  char extra;
  zip_int64_t got = zip_fread(file.get(), &extra, 1);
  if (got < 0)
    return failure();
  if (got > 0)
    return createStringError("expected " + Twine(size) +
                             " bytes as the archive claims, found more");
  return Error::success();
}

/// Reads the header first and the data only once their size is known to be
/// right, so that a small archive cannot claim a large part of the memory.
static Expected<HostTensor> readMember(Member &member,
                                       const DeclaredType &declared) {
  std::string start(std::min<uint64_t>(member.getSize(), kNpyPreambleSize), 0);
  if (Error error = member.read(start.data(), start.size()))
    return error;
  Expected<size_t> offset = getNpyDataOffset(start);
  if (!offset)
    return offset.takeError();
  if (member.getSize() < *offset)
    return createStringError("truncated: expected a header of " +
                             Twine(*offset) + " bytes, found " +
                             Twine(member.getSize()));
  // A header of version 1.0 may be shorter than what was read of it.
  size_t had = start.size();
  start.resize(std::max(had, *offset));
  if (Error error = member.read(start.data() + had, start.size() - had))
    return error;
  Expected<NpyHeader> header =
      parseNpyHeader(StringRef(start).take_front(*offset));
  if (!header)
    return header.takeError();

  uint64_t dataSize = member.getSize() - *offset;
  if (Error error = checkNpyHeader(*header, dataSize, declared))
    return error;
  Expected<HostTensor> data =
      HostTensor::create(ElementType::I8, {static_cast<int64_t>(dataSize)});
  if (!data)
    return data.takeError();
  StringRef early = StringRef(start).drop_front(*offset);
  std::copy(early.begin(), early.end(), data->getData());
  if (Error error =
          member.read(data->getData() + early.size(), dataSize - early.size()))
    return error;
  if (Error error = member.expectEnd())
    return error;
  return decodeNpy(*header, StringRef(data->getData(), dataSize), declared);
}

Expected<HostTensor> mlir::mha::readNpz(StringRef path, StringRef member,
                                        const DeclaredType &declared) {
  Expected<Archive> archive = openArchive(path);
  if (!archive)
    return addFileName(path, archive.takeError());
  Expected<Member> file = Member::open(archive->get(), member);
  if (!file)
    return addFileName(path, file.takeError());
  Expected<HostTensor> tensor = readMember(*file, declared);
  if (!tensor)
    return addFileName((path + ", array '" + member + "'").str(),
                       tensor.takeError());
  return tensor;
}
