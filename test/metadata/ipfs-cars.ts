import { createHash } from 'node:crypto';
import { CarWriter } from '@ipld/car';
import { code as DAG_PB, encode, prepare } from '@ipld/dag-pb';
import { MemoryBlockstore } from 'blockstore-core';
import { exporter } from 'ipfs-unixfs-exporter';
import { importer } from 'ipfs-unixfs-importer';
import { CID } from 'multiformats/cid';
import { create } from 'multiformats/hashes/digest';

export interface Block {
  cid: CID;
  bytes: Uint8Array;
}

/** Blocks of files below one directory, and the CID of the directory. */
export async function importFiles(
  files: Readonly<Record<string, Uint8Array>>,
): Promise<{ root: CID; blocks: Block[] }> {
  const store = new MemoryBlockstore();
  const sources = Object.entries(files).map(([path, content]) => ({ path, content }));
  let root: CID | undefined;
  for await (const entry of importer(sources, store, { wrapWithDirectory: true, rawLeaves: true }))
    root = entry.cid;
  if (!root) throw new Error('nothing was imported');
  const blocks: Block[] = [];
  for await (const { cid, bytes } of store.getAll()) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    blocks.push({ cid, bytes: Buffer.concat(chunks) });
  }
  // The store keeps multihashes only; the exporter reads by multihash too.
  await exporter(root, store);
  return { root, blocks };
}

export async function toCar(root: CID, blocks: readonly Block[]): Promise<Buffer> {
  const { writer, out } = CarWriter.create([root]);
  const chunks: Uint8Array[] = [];
  const reading = (async () => {
    for await (const chunk of out) chunks.push(chunk);
  })();
  for (const block of blocks) await writer.put(block);
  await writer.close();
  await reading;
  return Buffer.concat(chunks);
}

const RAW = 0x55;
const SHA2_256 = 0x12;

/** @param digestBytes fewer than 32 make a truncated hash, which IPFS allows down to 20 */
export function toRawBlock(bytes: Uint8Array, digestBytes = 32): Block {
  const digest = createHash('sha256').update(bytes).digest().subarray(0, digestBytes);
  return { cid: CID.createV1(RAW, create(SHA2_256, digest)), bytes };
}

/** A node of a file. @param data its UnixFS fields, encoded (https://specs.ipfs.tech/unixfs/) */
export function toFileNode(data: readonly number[], links: readonly CID[]): Block {
  const node = { Data: Uint8Array.from(data), Links: links.map((Hash) => ({ Hash, Name: '', Tsize: 0 })) };
  const bytes = encode(prepare(node));
  const digest = createHash('sha256').update(bytes).digest();
  return { cid: CID.createV1(DAG_PB, create(SHA2_256, digest)), bytes };
}
