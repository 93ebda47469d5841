import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type AppError,
  badRequest,
  headersTooLarge,
  requestIdFrom,
  requestTimeout,
  toErrorEnvelope,
} from '@app/common';

function failureOf(code: string | undefined): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge('headers_too_large', 'The request headers are larger than 16 KiB.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout('request_timeout', 'The request did not arrive in time.');
    default:
      return badRequest('malformed_http', 'This is not a well-formed HTTP/1.1 request.');
  }
}

/** Answers what node's HTTP parser refuses, in the envelope, and closes the connection. */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = failureOf(error.code);
  const requestId = requestIdFrom(undefined);
  const body = JSON.stringify(toErrorEnvelope(failure, { requestId, withStack: false }));
  socket.end(
    [
      `HTTP/1.1 ${failure.statusCode} ${STATUS_CODES[failure.statusCode] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
