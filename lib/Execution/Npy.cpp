//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Npy.h"

#include "NpyFormat.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir::mha;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// From bytes to a tensor
//===----------------------------------------------------------------------===//

static bool isAccepted(const NpyHeader &header, const DeclaredType &declared) {
  ElementType wanted = declared.elementType;
  ElementType stored = *header.elementType;
  if (stored == wanted)
    return true;
  return (wanted == ElementType::BF16 && stored == ElementType::F32) ||
         (wanted == ElementType::Index && stored == ElementType::I64);
}

Error mlir::mha::checkNpyHeader(const NpyHeader &header, uint64_t dataSize,
                                const DeclaredType &declared) {
  bool matches = header.elementType && isAccepted(header, declared) &&
                 header.shape.size() == declared.shape.size();
  for (size_t d = 0; matches && d < header.shape.size(); ++d)
    matches = declared.shape[d] == kDynamicDim ||
              declared.shape[d] == header.shape[d];
  if (!matches)
    return createStringError("expected " + declared.toString() + ", found " +
                             header.typeToString());

  std::optional<int64_t> count = countElements(header.shape);
  int64_t bytes;
  if (!count ||
      llvm::MulOverflow(*count, getByteWidth(*header.elementType), bytes))
    return createStringError("the size of " + header.typeToString() +
                             " does not fit in 64 bits");
  if (uint64_t(bytes) != dataSize)
    return createStringError("expected " + Twine(bytes) +
                             " bytes of data for " + header.typeToString() +
                             ", found " + Twine(dataSize));
  return Error::success();
}

/// Copies elements to row-major order and this machine's byte order.
static void copyElements(const NpyHeader &header, StringRef data,
                         HostTensor &tensor) {
  size_t width = getByteWidth(tensor.getElementType());
  llvm::SmallVector<int64_t> strides = tensor.getStrides();
  size_t rank = strides.size();
  llvm::SmallVector<int64_t> index(rank, 0);
  int64_t target = 0;
  for (const char *source = data.begin(); source != data.end();
       source += width) {
    char *element = tensor.getData() + target * width;
    if (header.swapped)
      std::reverse_copy(source, source + width, element);
    else
      std::copy_n(source, width, element);
    // Advance in the file's order.
    for (size_t step = 0; step < rank; ++step) {
      size_t d = header.fortranOrder ? step : rank - 1 - step;
      target += strides[d];
      if (++index[d] < header.shape[d])
        break;
      target -= strides[d] * header.shape[d];
      index[d] = 0;
    }
  }
}

Expected<HostTensor> mlir::mha::decodeNpy(const NpyHeader &header,
                                          StringRef data,
                                          const DeclaredType &declared) {
  ElementType stored = declared.elementType == ElementType::Index
                           ? ElementType::Index
                           : *header.elementType;
  Expected<HostTensor> tensor = HostTensor::create(stored, header.shape);
  if (!tensor)
    return tensor.takeError();
  if (header.swapped || header.fortranOrder)
    copyElements(header, data, *tensor);
  else
    std::copy(data.begin(), data.end(), tensor->getData());

  if (stored == ElementType::I1)
    for (size_t i = 0; i < data.size(); ++i)
      if (uint8_t(data[i]) > 1)
        return createStringError("expected booleans of 0 or 1, found " +
                                 Twine(unsigned(uint8_t(data[i]))) +
                                 " at byte " + Twine(i) + " of the data");
  if (stored != declared.elementType)
    return tensor->convertTo(declared.elementType);
  return tensor;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Error mlir::mha::addFileName(StringRef name, Error error) {
  return createStringError(name + ": " + llvm::toString(std::move(error)));
}

Error mlir::mha::checkRegularFile(StringRef path) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return createStringError(code.message());
  if (status.type() != llvm::sys::fs::file_type::regular_file)
    return createStringError("expected a regular file, found a directory, "
                             "device or pipe");
  return Error::success();
}

static Expected<HostTensor> parse(StringRef bytes,
                                  const DeclaredType &declared) {
  Expected<size_t> offset =
      getNpyDataOffset(bytes.take_front(kNpyPreambleSize));
  if (!offset)
    return offset.takeError();
  if (bytes.size() < *offset)
    return createStringError("truncated: expected a header of " +
                             Twine(*offset) + " bytes, found " +
                             Twine(bytes.size()));
  Expected<NpyHeader> header = parseNpyHeader(bytes.take_front(*offset));
  if (!header)
    return header.takeError();
  StringRef data = bytes.drop_front(*offset);
  if (Error error = checkNpyHeader(*header, data.size(), declared))
    return error;
  return decodeNpy(*header, data, declared);
}

Expected<HostTensor> mlir::mha::parseNpy(StringRef bytes, StringRef name,
                                         const DeclaredType &declared) {
  Expected<HostTensor> tensor = parse(bytes, declared);
  if (!tensor)
    return addFileName(name, tensor.takeError());
  return tensor;
}

Expected<HostTensor> mlir::mha::readNpy(StringRef path,
                                        const DeclaredType &declared) {
  if (Error error = checkRegularFile(path))
    return addFileName(path, std::move(error));
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return addFileName(path, llvm::errorCodeToError(buffer.getError()));
  return parseNpy((*buffer)->getBuffer(), path, declared);
}

/// Writes the file's bytes to an open temporary file.
static std::error_code writeBytes(int descriptor, StringRef header,
                                  const HostTensor &tensor) {
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/false);
  os << header;
  os.write(tensor.getData(), tensor.getNumBytes());
  os.flush();
  std::error_code code = os.error();
  // Errors left in the stream are fatal in its destructor.
  os.clear_error();
  return code;
}

/// The file that `path` leads to, which a rename may replace: itself, or what a
/// symbolic link names.
static Expected<std::string> resolveTarget(StringRef path) {
  llvm::sys::fs::file_status status;
  std::error_code code = llvm::sys::fs::status(path, status);
  if (code == std::errc::no_such_file_or_directory)
    return path.str();
  llvm::SmallString<128> real;
  if (!code)
    code = llvm::sys::fs::access(path, llvm::sys::fs::AccessMode::Write);
  if (!code)
    code = llvm::sys::fs::real_path(path, real);
  if (code)
    return llvm::errorCodeToError(code);
  // A rename would put the file in place of a device.
  if (Error error = checkRegularFile(path))
    return error;
  return real.str().str();
}

namespace {
/// A file beside `target`, where a rename is atomic. Removed unless it was
/// renamed, on a signal as well.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef target) : name(target) {
    llvm::SmallString<16> random;
    llvm::sys::fs::createUniquePath("%%%%%%%%%%%%%%%%", random,
                                    /*MakeAbsolute=*/false);
    llvm::sys::path::remove_filename(name);
    llvm::sys::path::append(name, ".mha-" + random + ".tmp");
    llvm::sys::RemoveFileOnSignal(name);
  }
  ~TemporaryFile() {
    llvm::sys::DontRemoveFileOnSignal(name);
    if (!renamed)
      llvm::sys::fs::remove(name);
  }

  std::error_code write(StringRef header, const HostTensor &tensor) {
    namespace fs = llvm::sys::fs;
    int descriptor;
    if (std::error_code code =
            fs::openFileForWrite(name, descriptor, fs::CD_CreateNew))
      return code;
    std::error_code written = writeBytes(descriptor, header, tensor);
    // Some file systems report a full disk here only.
    fs::file_t handle = fs::convertFDToNativeFile(descriptor);
    std::error_code closed = fs::closeFile(handle);
    return written ? written : closed;
  }

  std::error_code rename(StringRef target) {
    std::error_code code = llvm::sys::fs::rename(name, target);
    renamed = !code;
    return code;
  }

private:
  llvm::SmallString<128> name;
  bool renamed = false;
};
} // namespace

static Error writeAtomically(StringRef path, const HostTensor &tensor) {
  Expected<std::string> header = makeNpyHeader(tensor);
  if (!header)
    return header.takeError();
  Expected<std::string> target = resolveTarget(path);
  if (!target)
    return target.takeError();
  TemporaryFile file(*target);
  if (std::error_code code = file.write(*header, tensor))
    return llvm::errorCodeToError(code);
  return llvm::errorCodeToError(file.rename(*target));
}

Error mlir::mha::writeNpy(StringRef path, const HostTensor &tensor) {
  if (tensor.getElementType() == ElementType::BF16) {
    Expected<HostTensor> widened = tensor.convertTo(ElementType::F32);
    if (!widened)
      return addFileName(path, widened.takeError());
    return writeNpy(path, *widened);
  }
  if (Error error = writeAtomically(path, tensor))
    return addFileName(path, std::move(error));
  return Error::success();
}
