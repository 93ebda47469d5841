import type { Hex, PublicClient } from 'viem';
import { numberToHex } from 'viem/utils';
import type { Head } from '../transactions/load-head.js';
import type { InclusionBlock } from './tracked-operation.repository.js';

interface ComparedBlocks {
  /** The blocks that are still part of the chain. */
  readonly kept: readonly InclusionBlock[];
  /** The chain has other blocks at their heights. */
  readonly removed: readonly InclusionBlock[];
}

/**
 * Compares blocks with those of the chain. Of a block that the node does not have nothing is known: it may be behind. A few short
 * answers for each new block cost less than the events of all operations that are not final.
 */
export async function compareBlocks(
  client: PublicClient,
  head: Head,
  blocks: readonly InclusionBlock[],
): Promise<ComparedBlocks> {
  const heights = new Set(blocks.map(({ number }) => number));
  const hashes = new Map<bigint, Hex | null>();
  const loadHash = async (height: bigint) => {
    const hash = height === head.number ? head.hash : await findHash(client, height);
    hashes.set(height, hash);
  };
  await Promise.all([...heights].filter((height) => height <= head.number).map(loadHash));
  const known = blocks.filter(({ number }) => hashes.get(number));
  return {
    kept: known.filter(({ number, hash }) => hashes.get(number) === hash),
    removed: known.filter(({ number, hash }) => hashes.get(number) !== hash),
  };
}

async function findHash(client: PublicClient, height: bigint): Promise<Hex | null> {
  const block = await client.request({
    method: 'eth_getBlockByNumber',
    params: [numberToHex(height), false],
  });
  return block?.hash ?? null;
}
