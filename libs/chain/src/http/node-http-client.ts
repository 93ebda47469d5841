import { inSpan } from '@app/common';
import { Agent } from '@app/http';
import {
  type RpcNodeErrorDetails,
  RpcNodeError,
  toHttpStatusError,
  toTransportError,
} from '../node/rpc-node-error.js';

export interface NodeHttpLimits {
  /** Milliseconds. */
  readonly connectTimeoutMs: number;
  /** Milliseconds from sending to the last byte of one HTTP request. */
  readonly requestTimeoutMs: number;
  /** A longer response is aborted. */
  readonly maxResponseBytes: number;
  /** Sockets per origin, which nodes of several chains may have in common; null: as many as there are requests. */
  readonly connections: number | null;
}

interface PostOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds, instead of the usual limit. */
  readonly timeoutMs?: number;
  /** A limit of the response that is less than the usual one. */
  readonly maxBytes?: number;
  /** The error for a longer response, from the chunks so far; `too_heavy` when absent. */
  readonly toTooLargeError?: (received: readonly Buffer[]) => RpcNodeError;
  /** Whether a response counts whatever its status: some nodes answer errors of JSON-RPC with one that is not 2xx. */
  readonly acceptsAnyStatus?: boolean;
}

interface NodeHttpResponse {
  readonly status: number;
  readonly text: string;
  /** The `Date` header of the response, milliseconds since 1970; unset if the node sent none. */
  readonly serverTimeMs?: number;
}

/** Posts JSON to nodes over keep-alive connections. Every response is bounded in time and bytes. */
export class NodeHttpClient {
  private readonly agent: Agent;

  constructor(readonly limits: NodeHttpLimits) {
    this.agent = new Agent({
      connections: limits.connections,
      connect: { timeout: limits.connectTimeoutMs },
      pipelining: 1,
    });
  }

  /** Rejects only with RpcNodeError. In a span without the URL, which may hold a key. */
  post(url: URL, body: string, options: PostOptions = {}): Promise<NodeHttpResponse> {
    return inSpan({ name: 'node request', kind: 'CLIENT' }, () => this.postInTime(url, body, options));
  }

  private async postInTime(url: URL, body: string, options: PostOptions): Promise<NodeHttpResponse> {
    const { signal, timeoutMs = this.limits.requestTimeoutMs } = options;
    const abortController = new AbortController();
    const timer = setTimeout(() => {
      abortController.abort(createTimeoutError({ timedOut: true }));
    }, timeoutMs);
    const onAbort = (): void => {
      abortController.abort(createTimeoutError({ aborted: true }));
    };
    signal?.addEventListener('abort', onAbort);
    try {
      if (signal?.aborted) onAbort();
      return await this.send(url, body, abortController.signal, options);
    } catch (error) {
      throw toTransportError(abortController.signal.aborted ? abortController.signal.reason : error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Closes all connections at once; pending requests fail. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async send(
    url: URL,
    body: string,
    signal: AbortSignal,
    {
      maxBytes = this.limits.maxResponseBytes,
      toTooLargeError = createTooLargeError,
      acceptsAnyStatus = false,
    }: PostOptions,
  ): Promise<NodeHttpResponse> {
    const response = await this.agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...createBasicAuthHeader(url),
      },
      body,
      signal,
    });
    const status = response.statusCode;
    const retryAfter = response.headers['retry-after'];
    const failure = acceptsAnyStatus ? undefined : toHttpStatusError(status, retryAfter?.toString());
    if (failure) {
      // Reading the body keeps the connection alive; a longer body closes it.
      await response.body.dump({ limit: 16_384 });
      throw failure;
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBytes) throw toTooLargeError(chunks);
    }
    const serverTimeMs = Date.parse(String(response.headers.date));
    const text = Buffer.concat(chunks, bytes).toString('utf8');
    return Number.isNaN(serverTimeMs) ? { status, text } : { status, text, serverTimeMs };
  }
}

const createTooLargeError = (): RpcNodeError => new RpcNodeError('too_heavy', 'the answer was too large');

const createTimeoutError = (details: RpcNodeErrorDetails): RpcNodeError =>
  new RpcNodeError('unavailable', 'the node did not answer in time', details);

/** undici ignores the user name and password of a URL. */
function createBasicAuthHeader(url: URL): { authorization?: string } {
  if (!url.username && !url.password) return {};
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}
