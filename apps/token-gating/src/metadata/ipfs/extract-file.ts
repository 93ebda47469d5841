import { exporter } from 'ipfs-unixfs-exporter';
import { createMetadataFailure, type MetadataFailure } from '../metadata-failure.js';
import { METADATA_LIMITS } from '../metadata.config.js';
import type { WorkerAnswer } from '../workers/worker-lane.js';
import { type IpfsTarget, parseIpfsUri } from './parse-ipfs-uri.js';
import {
  BlockMismatchError,
  MissingBlockError,
  readVerifiedBlocks,
  TooManyBlocksError,
  type VerifiedBlocks,
} from './verified-blocks.js';

/**
 * Walks from the root along the path, and reads the file there. Failures are permanent, because verified blocks prove them.
 * @throws MissingBlockError
 */
async function exportFile(
  { cid, path }: IpfsTarget,
  blocks: VerifiedBlocks,
): Promise<Buffer | MetadataFailure> {
  try {
    const entry = await exporter([cid.toString(), ...path].join('/'), blocks);
    if (entry.type === 'directory' || entry.type === 'object') return reject('is no file');
    if (entry.size > METADATA_LIMITS.maxBytes) return TOO_LARGE;
    return await readContent(entry.content({ blockReadConcurrency: 1 }));
  } catch (error) {
    if (error instanceof MissingBlockError) throw error;
    if (error instanceof TooManyBlocksError) return TOO_LARGE;
    const isNotFound = error instanceof Error && error.name === 'NotFoundError';
    return isNotFound
      ? createMetadataFailure('metadata_refused', 'has an ipfs URI whose path does not exist')
      : reject('is not a UnixFS file');
  } finally {
    blocks.close();
  }
}

async function readContent(content: AsyncIterable<Uint8Array>): Promise<Buffer | MetadataFailure> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > METADATA_LIMITS.maxBytes) return TOO_LARGE;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

const reject = (problem: string) => createMetadataFailure('metadata_malformed', problem);
const TOO_LARGE = reject(`is longer than ${METADATA_LIMITS.maxBytes} bytes`);

/** What a worker is asked: the file of an ipfs URI. */
export interface ExtractionRequest {
  readonly uri: string;
  /** The CAR file as a gateway sent it. */
  readonly car: Uint8Array;
}

/**
 * `rejected` when verified blocks prove that there is no such document, `incomplete` when some are missing, `mismatch` when the
 * gateway sent something else.
 */
type Extraction =
  | { readonly outcome: 'file'; readonly bytes: Uint8Array }
  | { readonly outcome: 'rejected'; readonly failure: MetadataFailure }
  | { readonly outcome: 'incomplete' }
  | { readonly outcome: 'mismatch'; readonly message: string };

/** What a worker answers. */
export type Extracted = WorkerAnswer & Extraction;

/** Verifies the blocks of a CAR and reads the file that the URI names. Time and memory are bounded by its worker thread. */
export async function extractFile(request: ExtractionRequest): Promise<Extracted> {
  const startedAt = performance.now();
  const extraction = await extract(request);
  return { ...extraction, durationMs: performance.now() - startedAt };
}

async function extract({ uri, car }: ExtractionRequest): Promise<Extraction> {
  const target = parseIpfsUri(uri);
  if ('ok' in target) return { outcome: 'rejected', failure: target };
  try {
    const file = await exportFile(target, await readVerifiedBlocks(car));
    return Buffer.isBuffer(file) ? { outcome: 'file', bytes: file } : { outcome: 'rejected', failure: file };
  } catch (error) {
    if (error instanceof MissingBlockError) return { outcome: 'incomplete' };
    if (error instanceof BlockMismatchError) return { outcome: 'mismatch', message: error.message };
    throw error;
  }
}
