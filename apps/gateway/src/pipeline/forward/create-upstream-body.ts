import { Readable } from 'node:stream';
import { payloadTooLarge } from '@app/common';
import { MAX_BODY_BYTES, collectBody, hasBody } from '@app/service';
import type { Request } from 'express';

/** Smaller bodies are buffered: they mostly arrive in one packet with the headers, and leave in one. */
const MAX_BUFFERED_BYTES = 64 * 1024;

const bodyTooLarge = () =>
  payloadTooLarge('body_limit_exceeded', `The body is larger than ${MAX_BODY_BYTES} bytes.`);

/**
 * The body to forward; null without one. Checks a declared length before reading (node enforces it), an undeclared one
 * while streaming.
 * @throws AppError 413
 */
export function createUpstreamBody(request: Request): Readable | Promise<Buffer> | null {
  if (!hasBody(request)) return null;
  const declared = Number(request.headers['content-length'] ?? NaN);
  if (declared > MAX_BODY_BYTES) throw bodyTooLarge();
  return declared <= MAX_BUFFERED_BYTES
    ? collectBody(request)
    : Readable.from(limitBody(request), { objectMode: false });
}

/**
 * The body with a size limit. An upstream that responds early stops reading; the rest is then read and discarded, so that
 * the client's connection can be reused.
 */
async function* limitBody(request: Request): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) throw bodyTooLarge();
      yield chunk;
    }
  } finally {
    request.resume();
  }
}
