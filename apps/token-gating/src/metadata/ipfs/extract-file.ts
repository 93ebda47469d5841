import type { MetadataFailure } from '../metadata-failure.js';
import type { WorkerAnswer } from '../workers/worker-lane.js';
import { exportFile } from './export-file.js';
import { parseIpfsUri } from './parse-ipfs-uri.js';
import { BlockMismatchError, MissingBlockError, readVerifiedBlocks } from './verified-blocks.js';

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
