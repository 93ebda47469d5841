import { Readable } from 'node:stream';
import { payloadTooLarge } from '@app/common';
import { BODY_BYTES, collectBody, hasBody } from '@app/service';
import type { Request } from 'express';

/** Up to here a body is collected first: it mostly came in one piece with the headers, and goes on in one. */
const COLLECTED_BYTES = 64 * 1024;

const tooLarge = () => payloadTooLarge('body_too_large', `The body is larger than ${BODY_BYTES} bytes.`);

/**
 * The request's body to send on, never more than the limit of it: a declared length is checked before a byte is read
 * (and node holds the sender to it), an undeclared one while it passes.
 * @throws AppError 413
 */
export function requestBody(request: Request): Readable | Promise<Buffer> | null {
  if (!hasBody(request)) return null;
  const declared = Number(request.headers['content-length'] ?? NaN);
  if (declared > BODY_BYTES) throw tooLarge();
  return declared <= COLLECTED_BYTES
    ? collectBody(request)
    : Readable.from(bounded(request), { objectMode: false });
}

/**
 * The body as far as the upstream wants it. One that answers before it has read everything ends this early; the rest is
 * read and forgotten, so that the caller's connection is good for its next request.
 */
async function* bounded(request: Request): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > BODY_BYTES) throw tooLarge();
      yield chunk;
    }
  } finally {
    request.resume();
  }
}
