import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type AppError,
  badRequest,
  requestHeaderFieldsTooLarge,
  resolveRequestId,
  requestTimeout,
  toErrorEnvelope,
} from '@app/common';

function toClientError(code: string | undefined): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return requestHeaderFieldsTooLarge(
        'header_limit_exceeded',
        'The request headers are larger than 16 KiB.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout('request_timeout', 'The request was not received in time.');
    default:
      return badRequest('http_request_invalid', 'This is not a well-formed HTTP/1.1 request.');
  }
}

/** Lets the response arrive: closing at once would reset a connection on which the client is still sending. */
const LINGER_MS = 1_000;

/** Node stores the current response in this undocumented property, and checks it the same way. */
interface ServerSocket extends Duplex {
  _httpMessage?: { headersSent: boolean } | null;
}

/** Responds to a request that Node's HTTP parser rejects with the error envelope, and closes the connection. */
export function handleClientError(error: NodeJS.ErrnoException, socket: ServerSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  const failure = toClientError(error.code);
  const requestId = resolveRequestId(undefined);
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
