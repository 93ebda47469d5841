import {
  createPublicClient,
  custom,
  type CustomTransport,
  fallback,
  HttpRequestError,
  type PublicClient,
  RpcRequestError,
  type Transport,
} from 'viem';
import { z } from 'zod';
import { NodeHttpClient } from '../../http/node-http-client.js';

/** A receipt of a full bundle has some hundred kilobytes. */
const MAX_RESPONSE_BYTES = 8_000_000;
const CONNECTIONS_PER_NODE = 16;
/** Methods whose requests hold what a tenant has chosen, which may take a node too long or be too large for it. */
const TENANT_METHODS: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_estimateGas',
  'eth_sendRawTransaction',
  'eth_simulateV1',
]);

interface NodeOptions {
  readonly connectTimeoutMs: number;
  /** The time-out of one request, to the last byte of the response. */
  readonly requestTimeoutMs: number;
  /**
   * Called for each node that did not answer, or not as JSON-RPC demands. An error that a node answers with is no
   * failure, nor is a request with what a tenant has chosen if the node still tells its newest block.
   */
  readonly onFailure?: (url: string) => void;
}

export interface NodeTransports {
  create(url: string): CustomTransport;
  /**
   * A client of several nodes: the next one is asked where one fails.
   * @param sort the order in which they are asked at the moment
   */
  createClient(urls: readonly string[], sort?: () => readonly string[]): PublicClient;
  close(): Promise<void>;
}

interface RpcRequest {
  readonly method: string;
  readonly params?: unknown;
}

const rpcError = z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() });
const rpcResponse = z.object({ result: z.unknown().optional(), error: rpcError.nullish() });

/**
 * Transports to nodes that bound the time and the size of a whole response (viem's own time limit ends with the headers), and that do
 * not retry: the callers decide.
 */
export function createNodeTransports({
  connectTimeoutMs,
  requestTimeoutMs,
  onFailure,
}: NodeOptions): NodeTransports {
  const http = new NodeHttpClient({
    connectTimeoutMs,
    requestTimeoutMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    connections: CONNECTIONS_PER_NODE,
  });
  const create = (url: string) =>
    custom({ request: createRequest(http, new URL(url), () => onFailure?.(url)) }, { retryCount: 0 });
  const createFallback = (urls: readonly string[]) => fallback(urls.map(create), { retryCount: 0 });
  return {
    create,
    createClient: (urls, sort = () => urls) => {
      // viem's `fallback` has one order for ever.
      const transport: Transport = (options) => ({
        ...createFallback(urls)(options),
        request: (request) => createFallback(sort())(options).request(request),
      });
      return createPublicClient({ transport, cacheTime: 0 });
    },
    close: () => http.close(),
  };
}

function createRequest(http: NodeHttpClient, url: URL, onFailure: () => void) {
  let isProbing = false;
  const probe = async (): Promise<void> => {
    if (isProbing) return;
    isProbing = true;
    await send({ method: 'eth_blockNumber', params: [] }).catch(() => undefined);
    isProbing = false;
  };
  // The URL may hold a key, so errors have its origin only.
  const send = async ({ method, params }: RpcRequest): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const { origin } = url;
    try {
      const { status, text } = await http.post(url, body, { acceptsAnyStatus: true });
      const { result, error } = parseResponse(text, status);
      if (error) throw new RpcRequestError({ body: { method }, error, url: origin });
      return result;
    } catch (error) {
      if (error instanceof RpcRequestError) throw error;
      if (TENANT_METHODS.has(method)) void probe();
      else onFailure();
      const cause = error instanceof Error ? error : new Error(String(error));
      throw new HttpRequestError({ body: { method }, cause, details: cause.message, url: origin });
    }
  };
  return send;
}

/** Nodes answer errors of JSON-RPC with any status. */
function parseResponse(text: string, status: number): z.output<typeof rpcResponse> {
  const parsed = rpcResponse.safeParse(parseJson(text));
  const isAnswer = parsed.success && (parsed.data.error != null || (status >= 200 && status <= 299));
  if (!isAnswer) throw new Error(`status ${status} without an answer of JSON-RPC`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused like JSON of another shape
  }
}
