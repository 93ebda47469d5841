import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { badRequest, payloadTooLarge, unsupportedMediaType } from '@app/common';
import express, { type Request, type Response } from 'express';

export const bodyTooLarge = (limit: number) =>
  payloadTooLarge('body_limit_exceeded', `The body is larger than ${limit} bytes.`);

const clientDisconnected = () => new Error('The client disconnected');

interface CollectOptions {
  /** Called with the length of each chunk; an error that it throws rejects the body. */
  onBytes?: (count: number) => void;
  /** Rejects the body with its reason. */
  signal?: AbortSignal;
}

/**
 * All bytes of a body. After an error the rest is discarded, and what has arrived is not kept in memory.
 * @throws AppError 413 for more than `limit` bytes
 */
export function collectBody(
  request: IncomingMessage,
  limit: number,
  { onBytes, signal }: CollectOptions = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.destroyed && !request.readableEnded) {
      reject(clientDisconnected());
      return;
    }
    const body = new GrowingBuffer();
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onError);
      signal?.removeEventListener('abort', onAbort);
    };
    const onError = (error: unknown): void => {
      stop();
      request.resume();
      reject(error instanceof Error ? error : new Error('The body was rejected', { cause: error }));
    };
    const onAbort = (): void => {
      onError(signal?.reason);
    };
    const onEnd = (): void => {
      stop();
      resolve(body.bytes);
    };
    const onData = (chunk: Buffer): void => {
      try {
        if (body.length + chunk.length > limit) throw bodyTooLarge(limit);
        onBytes?.(chunk.length);
        body.append(chunk);
      } catch (error) {
        onError(error);
      }
    };
    request.on('data', onData).on('end', onEnd).on('error', onError);
    signal?.addEventListener('abort', onAbort);
  });
}

/**
 * All bytes of a body that has arrived completely, without the turns of the event loop that its events take.
 * @throws AppError 413 for more than `limit` bytes
 */
export function takeArrivedBody(request: IncomingMessage, limit: number): Buffer {
  if (request.destroyed && !request.readableEnded) throw clientDisconnected();
  // A complete message holds everything in its buffer, and `read` returns all of it.
  const bytes: unknown = request.read();
  if (!Buffer.isBuffer(bytes)) return Buffer.alloc(0);
  if (bytes.length > limit) throw bodyTooLarge(limit);
  return bytes;
}

/** Copies chunks instead of keeping them: a client that sends a body byte by byte would take 200 bytes of memory for each. */
class GrowingBuffer {
  private buffer: Buffer = Buffer.alloc(0);
  length = 0;

  append(chunk: Buffer): void {
    if (this.length === 0) {
      this.buffer = chunk; // mostly the only one
    } else {
      if (this.length + chunk.length > this.buffer.length) this.grow(this.length + chunk.length);
      chunk.copy(this.buffer, this.length);
    }
    this.length += chunk.length;
  }

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private grow(length: number): void {
    const larger = Buffer.allocUnsafe(2 * length);
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

export const MAX_BODY_BYTES = 1024 * 1024;

/** Counts the limit in bytes after decompression. */
const readRaw = promisify<Request, Response>(express.raw({ limit: MAX_BODY_BYTES, type: () => true }));

/** Names of encodings whose texts are UTF-8, in lower case. */
const UTF8_CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);

/** Whether the body is of the type and in UTF-8. Parameters other than `charset` mean nothing for JSON and forms, as in `Accept`. */
export function isUtf8Body(contentType: string, mediaType: string): boolean {
  const [type = '', ...parameters] = contentType.split(';');
  if (type.trim().toLowerCase() !== mediaType) return false;
  return parameters.every((parameter) => {
    const [, charset] = /^\s*charset\s*=\s*"?([^"]*)"?\s*$/i.exec(parameter) ?? [];
    return charset === undefined || UTF8_CHARSETS.has(charset.trim().toLowerCase());
  });
}

function requireBodyOf(request: Request, mediaType: string): void {
  if (!isUtf8Body(request.headers['content-type'] ?? '', mediaType))
    throw unsupportedMediaType('content_type_not_supported', `The body must be ${mediaType}, in UTF-8.`);
}

/** The bytes of a JSON body. @throws AppError 413, 415 or 400 */
export async function readJsonBytes(request: Request, response: Response): Promise<Buffer> {
  requireBodyOf(request, 'application/json');
  return readBytes(request, response);
}

/** The bytes of a form. @throws AppError 413, 415 or 400 */
export async function readFormBytes(request: Request, response: Response): Promise<Buffer> {
  requireBodyOf(request, 'application/x-www-form-urlencoded');
  return readBytes(request, response);
}

async function readBytes(request: Request, response: Response): Promise<Buffer> {
  const { 'content-length': declared, 'content-encoding': encoding } = request.headers;
  const isBounded = declared !== undefined && Number(declared) <= MAX_BODY_BYTES && encoding === undefined;
  if (isBounded) return collectBody(request, MAX_BODY_BYTES);
  await readRaw(request, response);
  const bytes: unknown = request.body;
  if (!Buffer.isBuffer(bytes)) throw badRequest('body_required', 'This operation requires a body.');
  return bytes;
}

/** RFC 9112 section 6.3: a request with a body has Content-Length or Transfer-Encoding. */
export const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
