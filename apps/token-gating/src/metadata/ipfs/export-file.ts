import { exporter } from 'ipfs-unixfs-exporter';
import { createMetadataFailure, type MetadataFailure } from '../metadata-failure.js';
import { METADATA_LIMITS } from '../metadata-limits.js';
import type { IpfsTarget } from './parse-ipfs-uri.js';
import { MissingBlockError, TooManyBlocksError, type VerifiedBlocks } from './verified-blocks.js';

/**
 * Walks from the root along the path, and reads the file there. Failures are permanent, because verified blocks prove them.
 * @throws MissingBlockError
 */
export async function exportFile(
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
