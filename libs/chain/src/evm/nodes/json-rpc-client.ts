import { Agent } from 'undici';
import {
  toJsonRpcError,
  toHttpStatusError,
  toTransportError,
  type RpcNodeErrorDetails,
  RpcNodeError,
} from '../../shared/rpc-node-error.js';

export interface JsonRpcClientLimits {
  /** Milliseconds. */
  readonly connectTimeoutMs: number;
  /** Milliseconds from sending to the last byte of one HTTP request. */
  readonly requestTimeoutMs: number;
  /** An answer is abandoned beyond this. */
  readonly maxResponseBytes: number;
  /** Sockets per node. */
  readonly connections: number;
}

export interface JsonRpcRequest {
  readonly method: string;
  /** JSON text already, because encoding it as an object costs more than the rest. */
  readonly params: string;
  /** A result beyond this is `flooded`. */
  readonly maxResultBytes?: number;
  /** To be answered in a quarter of the usual time. */
  readonly shortTimeout?: boolean;
}

export interface JsonRpcResult {
  /** A hex text with 0x. */
  readonly result: string;
  /** The Date of the answer, milliseconds since 1970; unset where the node sent none. */
  readonly serverTimeMs?: number;
}

/** JSON-RPC 2.0 over HTTP with kept-alive connections; every answer is bounded in time and bytes and checked for its form. */
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

  /** Milliseconds that a call may take. */
  getTimeoutMs({ shortTimeout }: Pick<JsonRpcRequest, 'shortTimeout'>): number {
    return shortTimeout ? this.limits.requestTimeoutMs / 4 : this.limits.requestTimeoutMs;
  }

  /** Sends one request to one node. Rejects with NodeFailure only. */
  async request(url: URL, call: JsonRpcRequest, signal?: AbortSignal): Promise<JsonRpcResult> {
    const { method, params, maxResultBytes = Infinity } = call;
    this.lastId += 1;
    const id = this.lastId;
    const timer = new AbortController();
    const timeout = setTimeout(() => {
      timer.abort(createTimeoutError({ timedOut: true }));
    }, this.getTimeoutMs(call));
    const abandon = (): void => {
      timer.abort(createTimeoutError({ aborted: true }));
    };
    signal?.addEventListener('abort', abandon);
    try {
      if (signal?.aborted) abandon();
      const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
      const bound = Math.min(maxResultBytes * 2 + 1_024, this.limits.maxResponseBytes);
      const { text, serverTimeMs } = await this.post(url, body, timer.signal, { bytes: bound, id });
      return {
        result: parseHexResult(text, id),
        ...(serverTimeMs === undefined ? {} : { serverTimeMs: serverTimeMs }),
      };
    } catch (error) {
      throw toTransportError(timer.signal.aborted ? timer.signal.reason : error);
    } finally {
      clearTimeout(timeout);
      signal?.removeEventListener('abort', abandon);
    }
  }

  /** Ends all connections at once; what is under way fails. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async post(
    url: URL,
    body: string,
    signal: AbortSignal,
    bound: { readonly bytes: number; readonly id: number },
  ): Promise<{ readonly text: string; readonly serverTimeMs?: number }> {
    const answer = await this.agent.request({
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
    const retryAfter = answer.headers['retry-after'];
    const failure = toHttpStatusError(answer.statusCode, retryAfter?.toString());
    if (failure) {
      // Read to keep the connection; a body longer than this is not worth it and costs the connection.
      await answer.body.dump({ limit: 16_384 });
      throw failure;
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= bound.bytes) continue;
      if (bound.bytes < this.limits.maxResponseBytes && isContractOutput(Buffer.concat(chunks), bound.id))
        throw new RpcNodeError('flooded', 'the contract answered far too much');
      throw new RpcNodeError('too_heavy', 'the answer was too large');
    }
    const serverTimeMs = Date.parse(String(answer.headers.date));
    const text = Buffer.concat(chunks, bytes).toString('utf8');
    return Number.isNaN(serverTimeMs) ? { text } : { text, serverTimeMs };
  }
}

function createTimeoutError(conduct: RpcNodeErrorDetails): RpcNodeError {
  return new RpcNodeError('unavailable', 'the node did not answer in time', conduct);
}

/** undici ignores user and password of a URL. */
function createBasicAuthHeader(url: URL): { authorization?: string } {
  if (!url.username && !url.password) return {};
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/**
 * Whether what has come so far is the result of this very question, or what the contract reverted with (error 3): then its
 * length is the contract's doing.
 */
function isContractOutput(begun: Buffer, id: number): boolean {
  const text = begun.toString('latin1', 0, 1_024);
  return (
    (RESULT_PREFIX_PATTERN.test(text) || REVERT_PREFIX_PATTERN.test(text)) &&
    new RegExp(`"id"\\s*:\\s*${id}\\s*,`).test(text)
  );
}

const RESULT_PREFIX_PATTERN = /^\s*\{[^{}[\]]*"result"\s*:\s*"0x[0-9a-fA-F]+$/;
const REVERT_PREFIX_PATTERN = /^\s*\{[^{}[\]]*"error"\s*:\s*\{[^{}[\]]*"code"\s*:\s*3\s*,/;

function parseHexResult(text: string, id: number): string {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new RpcNodeError('unavailable', 'the node did not answer with JSON');
  }
  const { jsonrpc, id: answeredId, error, result } = (answer ?? {}) as Record<string, unknown>;
  if (jsonrpc !== '2.0' || answeredId !== id) {
    throw new RpcNodeError('unavailable', 'the node answered another question');
  }
  if (error !== undefined && error !== null) throw toJsonRpcError(parseErrorObject(error));
  if (typeof result !== 'string' || !/^0x[0-9a-fA-F]*$/.test(result)) {
    throw new RpcNodeError('unavailable', 'the node answered without a hex result');
  }
  return result;
}

/** Of a text that a contract may have filled, only the beginning is looked at. */
function parseErrorObject(error: unknown): { code: number; message: string } {
  const { code, message } = error as Record<string, unknown>;
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message.slice(0, 300) : '',
  };
}
