import { Agent } from 'undici';
import {
  toHttpStatusError,
  toTransportError,
  type RpcNodeErrorDetails,
  RpcNodeError,
} from '../../shared/rpc-node-error.js';
import { toJsonRpcError } from './to-json-rpc-error.js';

export interface JsonRpcClientLimits {
  /** Milliseconds. */
  readonly connectTimeoutMs: number;
  /** Milliseconds from sending to the last byte of one HTTP request. */
  readonly requestTimeoutMs: number;
  /** A longer response is aborted. */
  readonly maxResponseBytes: number;
  /** Sockets per node. */
  readonly connections: number;
}

export interface JsonRpcRequest {
  readonly method: string;
  /** JSON text: serializing it from an object would cost more than the rest of the request. */
  readonly params: string;
  /** A longer result is `flooded`. */
  readonly maxResultBytes?: number;
  /** A quarter of the usual timeout. */
  readonly shortTimeout?: boolean;
}

export interface JsonRpcResult {
  /** A hex text with 0x. */
  readonly result: string;
  /** The `Date` header of the response, milliseconds since 1970; unset if the node sent none. */
  readonly serverTimeMs?: number;
}

/** JSON-RPC 2.0 over HTTP keep-alive connections. Every response is bounded in time and bytes, and validated. */
export class JsonRpcClient {
  private readonly agent: Agent;
  private lastId = 0;

  constructor(private readonly limits: JsonRpcClientLimits) {
    this.agent = new Agent({
      connections: limits.connections,
      connect: { timeout: limits.connectTimeoutMs },
      pipelining: 1,
    });
  }

  /** The timeout of one HTTP request, in milliseconds. */
  getTimeoutMs({ shortTimeout }: Pick<JsonRpcRequest, 'shortTimeout'>): number {
    return shortTimeout ? this.limits.requestTimeoutMs / 4 : this.limits.requestTimeoutMs;
  }

  /** Sends one request to one node. Rejects only with RpcNodeError. */
  async request(url: URL, request: JsonRpcRequest, signal?: AbortSignal): Promise<JsonRpcResult> {
    const { method, params, maxResultBytes = Infinity } = request;
    this.lastId += 1;
    const id = this.lastId;
    const abortController = new AbortController();
    const timer = setTimeout(() => {
      abortController.abort(createTimeoutError({ timedOut: true }));
    }, this.getTimeoutMs(request));
    const onAbort = (): void => {
      abortController.abort(createTimeoutError({ aborted: true }));
    };
    signal?.addEventListener('abort', onAbort);
    try {
      if (signal?.aborted) onAbort();
      const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
      const maxBytes = Math.min(maxResultBytes * 2 + 1_024, this.limits.maxResponseBytes);
      const { text, serverTimeMs } = await this.post(url, body, abortController.signal, { maxBytes, id });
      return {
        result: parseHexResult(text, id),
        ...(serverTimeMs === undefined ? {} : { serverTimeMs }),
      };
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

  private async post(
    url: URL,
    body: string,
    signal: AbortSignal,
    { maxBytes, id }: { readonly maxBytes: number; readonly id: number },
  ): Promise<{ readonly text: string; readonly serverTimeMs?: number }> {
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
    const retryAfter = response.headers['retry-after'];
    const failure = toHttpStatusError(response.statusCode, retryAfter?.toString());
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
      if (bytes <= maxBytes) continue;
      if (maxBytes < this.limits.maxResponseBytes && isContractOutput(Buffer.concat(chunks), id))
        throw new RpcNodeError('flooded', 'the contract returned too much data');
      throw new RpcNodeError('too_heavy', 'the answer was too large');
    }
    const serverTimeMs = Date.parse(String(response.headers.date));
    const text = Buffer.concat(chunks, bytes).toString('utf8');
    return Number.isNaN(serverTimeMs) ? { text } : { text, serverTimeMs };
  }
}

function createTimeoutError(details: RpcNodeErrorDetails): RpcNodeError {
  return new RpcNodeError('unavailable', 'the node did not answer in time', details);
}

/** undici ignores the user name and password of a URL. */
function createBasicAuthHeader(url: URL): { authorization?: string } {
  if (!url.username && !url.password) return {};
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** Whether an incomplete response carries this request's result or revert data (error 3), so that the contract caused its length. */
function isContractOutput(received: Buffer, id: number): boolean {
  const text = received.toString('latin1', 0, 1_024);
  return (
    (RESULT_PREFIX_PATTERN.test(text) || REVERT_PREFIX_PATTERN.test(text)) &&
    new RegExp(`"id"\\s*:\\s*${id}\\s*,`).test(text)
  );
}

const RESULT_PREFIX_PATTERN = /^\s*\{[^{}[\]]*"result"\s*:\s*"0x[0-9a-fA-F]+$/;
const REVERT_PREFIX_PATTERN = /^\s*\{[^{}[\]]*"error"\s*:\s*\{[^{}[\]]*"code"\s*:\s*3\s*,/;

function parseHexResult(text: string, id: number): string {
  let response: unknown;
  try {
    response = JSON.parse(text);
  } catch {
    throw new RpcNodeError('unavailable', 'the node did not answer with JSON');
  }
  const { jsonrpc, id: responseId, error, result } = (response ?? {}) as Record<string, unknown>;
  if (jsonrpc !== '2.0' || responseId !== id) {
    throw new RpcNodeError('unavailable', 'the node answered another request');
  }
  if (error !== undefined && error !== null) throw toJsonRpcError(parseErrorObject(error));
  if (typeof result !== 'string' || !/^0x[0-9a-fA-F]*$/.test(result)) {
    throw new RpcNodeError('unavailable', 'the node answered without a hex result');
  }
  return result;
}

/** Truncates the message, because a contract may have filled it. */
function parseErrorObject(error: unknown): { code: number; message: string } {
  const { code, message } = error as Record<string, unknown>;
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message.slice(0, 300) : '',
  };
}
