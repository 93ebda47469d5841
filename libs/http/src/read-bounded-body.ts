import { SafeHttpError } from './safe-http-error.js';

type Body = AsyncIterable<Uint8Array>;

/** @throws SafeHttpError `too_large` beyond `maxBytes`; the connection is closed then */
export async function readBoundedBody(body: Body, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new SafeHttpError('too_large', `the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
