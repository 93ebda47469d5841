import { NodeHttpClient, type NodeHttpLimits } from '../../shared/node-http-client.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';
import { toJsonRpcError } from './to-json-rpc-error.js';

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

/** JSON-RPC 2.0 over HTTP. Every response is bounded and validated. */
export class JsonRpcClient {
  private readonly http: NodeHttpClient;
  private lastId = 0;

  constructor(limits: NodeHttpLimits) {
    this.http = new NodeHttpClient(limits);
  }

  /** The timeout of one HTTP request, in milliseconds. */
  getTimeoutMs({ shortTimeout }: Pick<JsonRpcRequest, 'shortTimeout'>): number {
    const { requestTimeoutMs } = this.http.limits;
    return shortTimeout ? requestTimeoutMs / 4 : requestTimeoutMs;
  }

  /** Sends one request with a hex result to one node. Rejects only with RpcNodeError. */
  async request(url: URL, request: JsonRpcRequest, signal?: AbortSignal): Promise<JsonRpcResult> {
    const response = await this.requestJson(url, request, signal);
    return { ...response, result: parseHex(response.result) };
  }

  /** Sends one request with any result to one node. Rejects only with RpcNodeError. */
  async requestJson(
    url: URL,
    request: JsonRpcRequest,
    signal?: AbortSignal,
  ): Promise<Omit<JsonRpcResult, 'result'> & { readonly result: unknown }> {
    const { method, params, maxResultBytes = Infinity } = request;
    this.lastId += 1;
    const id = this.lastId;
    const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
    const { text, serverTimeMs } = await this.http.post(url, body, {
      signal,
      timeoutMs: this.getTimeoutMs(request),
      ...this.boundResult(maxResultBytes, id),
    });
    return { result: parseResult(text, id), ...(serverTimeMs === undefined ? {} : { serverTimeMs }) };
  }

  /** Closes all connections at once; pending requests fail. */
  async close(): Promise<void> {
    await this.http.close();
  }

  private boundResult(maxResultBytes: number, id: number) {
    const maxBytes = maxResultBytes * 2 + 1_024;
    if (maxBytes >= this.http.limits.maxResponseBytes) return {};
    const toTooLargeError = (received: readonly Buffer[]): RpcNodeError =>
      isContractOutput(Buffer.concat(received), id)
        ? new RpcNodeError('flooded', 'the contract returned too much data')
        : new RpcNodeError('too_heavy', 'the answer was too large');
    return { maxBytes, toTooLargeError };
  }
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

function parseResult(text: string, id: number): unknown {
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
  return result;
}

function parseHex(result: unknown): string {
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
