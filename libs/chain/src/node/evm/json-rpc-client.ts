import { NodeHttpClient, type NodeHttpLimits } from '../../http/node-http-client.js';
import {
  BatchRefusedError,
  parseBatch,
  parseJson,
  SINGLE_REQUESTS_MS,
  throwBatchRefused,
} from '../json-rpc-batch-client.js';
import { RpcNodeError } from '../rpc-node-error.js';
import { toJsonRpcError } from './to-json-rpc-error.js';

export interface JsonRpcCall {
  readonly method: string;
  /** JSON text: serializing it from an object would cost more than the rest of the request. */
  readonly params: string;
}

export interface JsonRpcRequest extends JsonRpcCall {
  /** Further requests with hex results, sent in one batch with this one. Their failures do not make this one fail. */
  readonly companions?: readonly JsonRpcCall[];
  /** A longer result is `flooded`. */
  readonly maxResultBytes?: number;
  /** A quarter of the usual timeout. */
  readonly shortTimeout?: boolean;
  /** Whether no other request waits for the socket: the request may hang, and callers bound how many do. */
  readonly isIsolated?: boolean;
}

export interface JsonRpcErrorObject {
  readonly code: number;
  readonly message: string;
  /** The beginning of the revert data, as far as the node tells it. */
  readonly data?: string;
}

export interface JsonRpcResult {
  /** A hex text with 0x. */
  readonly result: string;
  /** The `Date` header of the response, milliseconds since 1970; unset if the node sent none. */
  readonly serverTimeMs?: number;
  /** Results of the companions, in their order; undefined for one that the node gave no result of. */
  readonly companions?: readonly (string | undefined)[];
}

/** JSON-RPC 2.0 over HTTP. Every response is bounded and validated. */
export class JsonRpcClient {
  private readonly http: NodeHttpClient;
  private readonly isolatedHttp: NodeHttpClient;
  private lastId = 0;
  /** The time, by `performance.now()`, at which a node that refused a batch gets the next one; the key is its URL. */
  private readonly singleUntil = new Map<string, number>();

  constructor(limits: NodeHttpLimits) {
    this.http = new NodeHttpClient(limits);
    this.isolatedHttp = new NodeHttpClient({ ...limits, connections: null });
  }

  /** The timeout of one HTTP request, in milliseconds. */
  getTimeoutMs({ shortTimeout }: Pick<JsonRpcRequest, 'shortTimeout'>): number {
    const { requestTimeoutMs } = this.http.limits;
    return shortTimeout ? requestTimeoutMs / 4 : requestTimeoutMs;
  }

  /** Sends one request with a hex result to one node. Rejects only with RpcNodeError. */
  async request(url: URL, request: JsonRpcRequest, signal?: AbortSignal): Promise<JsonRpcResult> {
    if (request.companions && request.companions.length > 0)
      return this.requestTogether(url, request, request.companions, signal);
    const response = await this.requestJson(url, request, signal);
    return { ...response, result: parseHex(response.result) };
  }

  /**
   * Sends one request with any result to one node. Rejects only with RpcNodeError.
   * @param toError maps what the node answers instead of a result
   */
  async requestJson(
    url: URL,
    request: JsonRpcRequest,
    signal?: AbortSignal,
    toError: (error: JsonRpcErrorObject) => RpcNodeError = toJsonRpcError,
  ): Promise<Omit<JsonRpcResult, 'result'> & { readonly result: unknown }> {
    const { maxResultBytes = Infinity, isIsolated } = request;
    const { id, body } = this.createMessage(request);
    const http = isIsolated ? this.isolatedHttp : this.http;
    const { text, serverTimeMs } = await http.post(url, body, {
      signal,
      timeoutMs: this.getTimeoutMs(request),
      ...this.boundResult(maxResultBytes, id),
    });
    const result = parseResult(parseJson(text), id, toError);
    return { result, ...(serverTimeMs === undefined ? {} : { serverTimeMs }) };
  }

  /** Closes all connections at once; pending requests fail. */
  async close(): Promise<void> {
    await Promise.all([this.http.close(), this.isolatedHttp.close()]);
  }

  private createMessage({ method, params }: JsonRpcCall): { id: number; body: string } {
    this.lastId += 1;
    const id = this.lastId;
    return { id, body: `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}` };
  }

  /** Sends a request and its companions in one batch, or at the same time to a node that takes no batches. */
  private async requestTogether(
    url: URL,
    request: JsonRpcRequest,
    companions: readonly JsonRpcCall[],
    signal?: AbortSignal,
  ): Promise<JsonRpcResult> {
    const mayBatch = performance.now() >= (this.singleUntil.get(url.href) ?? -Infinity);
    if (mayBatch)
      try {
        return await this.requestBatch(url, request, companions, signal);
      } catch (error) {
        if (!(error instanceof BatchRefusedError)) throw error;
      }
    const { shortTimeout } = request;
    const [result, ...others] = await Promise.all([
      this.request(url, { ...request, companions: [] }, signal),
      ...companions.map((companion) =>
        this.request(url, { ...companion, ...(shortTimeout ? { shortTimeout } : {}) }, signal).then(
          (answer) => answer.result,
          toNoResult,
        ),
      ),
    ]);
    // The batch is known only now as the reason of the failure, and not the call, which callers choose.
    if (mayBatch) this.singleUntil.set(url.href, performance.now() + SINGLE_REQUESTS_MS);
    return { ...result, companions: others };
  }

  private async requestBatch(
    url: URL,
    request: JsonRpcRequest,
    companions: readonly JsonRpcCall[],
    signal?: AbortSignal,
  ): Promise<JsonRpcResult> {
    const main = this.createMessage(request);
    const others = companions.map((companion) => this.createMessage(companion));
    const body = `[${[main, ...others].map((message) => message.body).join()}]`;
    const { text, serverTimeMs } = await this.http
      .post(url, body, { signal, timeoutMs: this.getTimeoutMs(request) })
      .catch(throwBatchRefused);
    const { byId, result } = refuseUnusable(() => {
      const responses = parseBatch(text);
      return { byId: responses, result: parseHex(parseResult(responses.get(main.id), main.id)) };
    });
    return {
      result,
      companions: others.map(({ id }) => findHex(byId.get(id), id)),
      ...(serverTimeMs === undefined ? {} : { serverTimeMs }),
    };
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

/** @param response the parsed response; undefined where a batch left it out */
function parseResult(response: unknown, id: number, toError = toJsonRpcError): unknown {
  const { jsonrpc, id: responseId, error, result } = (response ?? {}) as Record<string, unknown>;
  if (jsonrpc !== '2.0' || responseId !== id) {
    throw new RpcNodeError('unavailable', 'the node answered another request');
  }
  if (error !== undefined && error !== null) throw toError(parseErrorObject(error));
  return result;
}

/**
 * Companions must not harm their request: what may be an answer to the batch instead of an answer to the request is no failure of
 * the node, which gets both requests apart.
 * @throws BatchRefusedError
 */
function refuseUnusable<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RpcNodeError && isAboutBatch(error)) throw new BatchRefusedError();
    throw error;
  }
}

const isAboutBatch = ({ kind, details }: RpcNodeError): boolean =>
  kind === 'unavailable' && details.retryAfterMs === undefined && details.blockMissing !== true;

/** The hex result of a response; undefined for any other response. */
function findHex(response: unknown, id: number): string | undefined {
  try {
    return parseHex(parseResult(response, id));
  } catch (error) {
    return toNoResult(error);
  }
}

/** A failed companion is read again by whoever needs it. Rethrows internal errors. */
function toNoResult(error: unknown): string | undefined {
  if (error instanceof RpcNodeError) return undefined;
  throw error;
}

function parseHex(result: unknown): string {
  if (typeof result !== 'string' || !/^0x[0-9a-fA-F]*$/.test(result)) {
    throw new RpcNodeError('unavailable', 'the node answered without a hex result');
  }
  return result;
}

/** Truncates the message, because a contract may have filled it. */
function parseErrorObject(error: unknown): JsonRpcErrorObject {
  const { code, message, data } = error as Record<string, unknown>;
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message.slice(0, 300) : '',
    ...(typeof data === 'string' && { data: data.slice(0, 300) }),
  };
}
