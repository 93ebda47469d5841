import { createHash } from 'node:crypto';
import { CarReader } from '@ipld/car';
import type { CID } from 'multiformats/cid';
import { IDENTITY, isVerifiable } from './parse-ipfs-uri.js';

/** A gateway sent something else than what the CID names. */
export class BlockMismatchError extends Error {
  override readonly name = 'BlockMismatchError';
}

/**
 * A block is not in the answer. Honest gateways begin an answer before they look for the root, and cut it off where a block has
 * no provider.
 */
export class MissingBlockError extends Error {
  override readonly name = 'MissingBlockError';
}

/** The document needs more blocks than one of 1 MiB. */
export class TooManyBlocksError extends Error {
  override readonly name = 'TooManyBlocksError';
}

/** Small blocks that link to each other often would be read without end, although few bytes come out. */
const MAX_BLOCK_READS = 2_000;

/** The blocks of an answer whose hashes were verified, as the store that the exporter reads. */
export class VerifiedBlocks {
  private readonly blocks = new Map<string, Uint8Array>();
  private reads = 0;

  /** Adds a block under its CID. Blocks whose hash cannot be verified are left out. */
  add(cid: CID, bytes: Uint8Array): void {
    if (!isVerifiable(cid)) return;
    if (!isHashOf(cid, bytes))
      throw new BlockMismatchError(`the block of ${cid.toString()} has another hash`);
    this.blocks.set(toKey(cid), bytes);
  }

  *get(cid: CID): Generator<Uint8Array> {
    this.reads += 1;
    if (this.reads > MAX_BLOCK_READS) throw new TooManyBlocksError('the document has too many blocks');
    if (cid.multihash.code === IDENTITY) yield cid.multihash.digest;
    else yield this.getStored(cid);
  }

  /** Ends what still reads: the exporter follows all links, also after its reader has left. */
  close(): void {
    this.reads = MAX_BLOCK_READS;
  }

  private getStored(cid: CID): Uint8Array {
    const block = this.blocks.get(toKey(cid));
    if (!block) throw new MissingBlockError(`the block of ${cid.toString()} is missing`);
    return block;
  }
}

/** @throws BlockMismatchError for a wrong hash, MissingBlockError for what is not a complete CAR */
export async function readVerifiedBlocks(car: Uint8Array): Promise<VerifiedBlocks> {
  const verified = new VerifiedBlocks();
  const reader = await CarReader.fromBytes(car).catch((error: unknown) => {
    throw new MissingBlockError('the answer is not a complete CAR', { cause: error });
  });
  for await (const { cid, bytes } of reader.blocks()) verified.add(cid, bytes);
  return verified;
}

export function isHashOf({ multihash }: CID, bytes: Uint8Array): boolean {
  const digest = multihash.code === IDENTITY ? bytes : createHash('sha256').update(bytes).digest();
  return Buffer.compare(digest, multihash.digest) === 0;
}

const toKey = ({ multihash }: CID): string => Buffer.from(multihash.bytes).toString('latin1');
