import { createHash } from 'node:crypto';
import { encode, prepare } from '@ipld/dag-pb';
import { CID } from 'multiformats/cid';
import { create } from 'multiformats/hashes/digest';
import { actionCidInvalid, actionSourceInvalid } from './actions.errors.js';

const SHA2_256 = 0x12;
const SHA2_256_BYTES = 32;
const RAW = 0x55;
const DAG_PB = 0x70;

/**
 * Parses a CID of a file, in the form of version 1: `Qm…` and `bafybei…` of the same block are the same action.
 * @throws AppError 400
 */
export function parseActionCid(text: string): CID {
  const cid = tryParse(text);
  if (cid.multihash.code !== SHA2_256 || cid.multihash.digest.length !== SHA2_256_BYTES)
    throw actionCidInvalid('must be a CID with a sha2-256 hash');
  if (cid.code !== RAW && cid.code !== DAG_PB)
    throw actionCidInvalid('must be the CID of a file: raw or dag-pb');
  return cid.toV1();
}

/** The CID of a file as one block of plain bytes: that of `ipfs add --cid-version 1`. */
export const toActionCid = (bytes: Uint8Array): CID => CID.createV1(RAW, create(SHA2_256, hash(bytes)));

const hash = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

function tryParse(text: string): CID {
  try {
    return CID.parse(text);
  } catch {
    throw actionCidInvalid('must be a CID, without ipfs://');
  }
}

/** Checks that a file has this CID, as one block: `ipfs add` makes one of files up to 256 KiB. @throws AppError 400 */
export function checkActionSource(cid: CID, bytes: Uint8Array): void {
  const block = cid.code === RAW ? bytes : encode(prepare({ Data: encodeUnixFsFile(bytes), Links: [] }));
  if (!hash(block).equals(cid.multihash.digest)) throw actionSourceInvalid('does not have this CID');
}

/** https://specs.ipfs.tech/unixfs/: Type = File (field 1), Data (field 2) and filesize (field 3), in Protocol Buffers. */
function encodeUnixFsFile(bytes: Uint8Array): Uint8Array {
  const size = encodeVarint(bytes.length);
  const data = bytes.length > 0 ? [Buffer.from([0x12]), size, bytes] : [];
  return Buffer.concat([Buffer.from([0x08, 0x02]), ...data, Buffer.from([0x18]), size]);
}

function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
