import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Receiver, receiver } from './receiver.js';

/** An attempt to deliver a callback, as it arrived. */
export interface SeenCallback {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  requestId: string;
  deliveryId: string;
}

/** A client's receiver that remembers every attempt; it answers 204 until told otherwise. */
export class CallbackLog {
  readonly seen: SeenCallback[] = [];
  answer: (callback: SeenCallback, response: ServerResponse, request: IncomingMessage) => void = accept;
  private server: Receiver | undefined;

  static async start(): Promise<CallbackLog> {
    const log = new CallbackLog();
    log.server = await receiver((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const callback = read(request, Buffer.concat(chunks));
        log.seen.push(callback);
        log.answer(callback, response, request);
      });
    });
    return log;
  }

  get port(): number {
    return this.server?.port ?? 0;
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  acceptAll(): void {
    this.answer = accept;
  }

  of(requestId: string): SeenCallback[] {
    return this.seen.filter((callback) => callback.requestId === requestId);
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }
}

const accept = (_: SeenCallback, response: ServerResponse): void => void response.writeHead(204).end();

function read({ headers, url = '' }: IncomingMessage, body: Buffer): SeenCallback {
  const { requestId } = JSON.parse(body.toString('utf8')) as { requestId: string };
  const deliveryId = String(headers['webhook-id']);
  return { at: Date.now(), path: url, headers, body, requestId, deliveryId };
}

export interface PublishedKeys {
  keys: (JsonWebKey & { kid: string })[];
}

/**
 * Verifies as Standard Webhooks has receivers verify: with Node alone, over the raw body.
 * @returns whether one of these keys signed exactly this, within five minutes of now
 */
export function isAuthentic(
  { headers, body }: Pick<SeenCallback, 'headers' | 'body'>,
  { keys }: PublishedKeys,
  now = Date.now(),
): boolean {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name]),
  );
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= 300)) return false;
  const content = Buffer.concat([Buffer.from(`${id ?? ''}.${timestamp ?? ''}.`, 'latin1'), body]);
  return (signatures ?? '').split(' ').some((entry) => {
    const [version, signature = ''] = entry.split(',');
    if (version !== 'v1a') return false;
    return keys
      .filter(({ crv, use }) => crv === 'Ed25519' && use === 'sig')
      .some((key) =>
        verify(null, content, createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'base64')),
      );
  });
}
