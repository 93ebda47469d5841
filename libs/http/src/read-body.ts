import { FetchFailure } from './fetch-failure.js';

type Body = AsyncIterable<Uint8Array>;

/** @throws FetchFailure `too_large`, and the connection is gone */
export async function readBounded(body: Body, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new FetchFailure('too_large', `the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
