import { Readable } from 'node:stream';
import { payloadTooLarge } from '@app/common';
import { MAX_BODY_BYTES, collectBody, hasBody } from '@app/service';
import type { Request } from 'express';

/** Up to here a body is collected first: it mostly came in one piece with the headers, and goes on in one. */
const MAX_BUFFERED_BYTES = 64 * 1024;

const bodyTooLarge = () =>
  payloadTooLarge('body_limit_exceeded', `The body is larger than ${MAX_BODY_BYTES} bytes.`);

/**
 * The request's body to send on, never more than the limit of it: a declared length is checked before a byte is read
 * (and node holds the sender to it), an undeclared one while it passes.
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
 * The body as far as the upstream wants it. One that answers before it has read everything ends this early; the rest is
 * read and forgotten, so that the caller's connection is good for its next request.
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
