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
  const declared = request.headers['content-length'];
  if (declared === undefined) return Readable.from(bounded(request), { objectMode: false });
  const length = Number(declared);
  if (length > BODY_BYTES) throw tooLarge();
  return length <= COLLECTED_BYTES ? collectBody(request) : request;
}

async function* bounded(request: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_BYTES) throw tooLarge();
    yield chunk;
  }
}
