import { MINUTE_MS } from '@app/common';
import { z } from 'zod';
import { RpcNodeError } from './rpc-node-error.js';
import type { NodeHttpClient } from '../http/node-http-client.js';

/** Providers limit batches; 50 is within the limits that they document. */
export const MAX_REQUESTS_PER_POST = 50;
/** Milliseconds for which a node that refused a batch gets single requests. */
export const SINGLE_REQUESTS_MS = MINUTE_MS;
/** Statuses of a node that may take the same requests one by one. */
const BATCH_REFUSED_STATUSES: readonly unknown[] = [400, 403, 404, 405, 415, 422, 501];

/** The node does not take a batch, but may take its requests one by one. */
export class BatchRefusedError extends Error {}

/** @throws BatchRefusedError for a status that says so, else the error itself */
export function throwBatchRefused(error: unknown): never {
  if (error instanceof RpcNodeError && BATCH_REFUSED_STATUSES.includes(error.details.httpStatus))
    throw new BatchRefusedError();
  throw error;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcNodeError('unavailable', 'the node did not answer with JSON');
  }
}

/**
 * The responses of a batch by their ids; a node may answer in any order.
 * @throws BatchRefusedError for one error that is the response to the whole batch, in a list or not
 */
export function parseBatch(text: string): ReadonlyMap<unknown, unknown> {
  const parsed = parseJson(text);
  if (!Array.isArray(parsed)) {
    if (isError(parsed)) throw new BatchRefusedError();
    throw new RpcNodeError('unavailable', 'the node did not answer with a batch');
  }
  const [first, ...others] = parsed as readonly unknown[];
  if (others.length === 0 && isError(first) && (getId(first) ?? null) === null) throw new BatchRefusedError();
  const byId = new Map(parsed.map((answer: unknown) => [getId(answer), answer] as const));
  if (byId.size !== parsed.length) throw new RpcNodeError('unavailable', 'the node answered a request twice');
  return byId;
}

function isError(answer: unknown): boolean {
  const error = (answer as { readonly error?: unknown } | null)?.error;
  return typeof error === 'object' && error !== null;
}

const getId = (answer: unknown): unknown => (answer as { readonly id?: unknown } | null)?.id;

export function toChunks<T>(list: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < list.length; start += size) chunks.push(list.slice(start, start + size));
  return chunks;
}

/** Concurrent single requests to a node that takes no batches. */
const MAX_SINGLE_REQUESTS = 8;

export interface JsonRpcRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

const jsonRpcErrorSchema = z.object({ code: z.number(), message: z.string().catch('') });
export type JsonRpcError = z.infer<typeof jsonRpcErrorSchema>;

/** The answer of a node to one request. */
export type JsonRpcResponse =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: JsonRpcError };

export interface BatchResponse {
  /** Responses in the order of the requests. */
  readonly responses: readonly JsonRpcResponse[];
  /** The node's clock, milliseconds since 1970. */
  readonly serverTimeMs?: number;
}

/** Sends JSON-RPC requests to one node in batches, or one by one to a node that takes no batches. */
export class JsonRpcBatchClient {
  private singleUntil = -Infinity;
  private lastId = 0;

  constructor(
    private readonly http: Pick<NodeHttpClient, 'post'>,
    private readonly url: URL,
  ) {}

  /** Rejects only with RpcNodeError. */
  async send(requests: readonly JsonRpcRequest[], signal?: AbortSignal): Promise<BatchResponse> {
    const messages = requests.map(({ method, params }) => ({
      jsonrpc: '2.0',
      id: (this.lastId += 1),
      method,
      params,
    }));
    if (messages.length > 1 && performance.now() >= this.singleUntil)
      try {
        return await this.sendBatches(messages, signal);
      } catch (error) {
        if (!(error instanceof BatchRefusedError)) throw error;
        this.singleUntil = performance.now() + SINGLE_REQUESTS_MS;
      }
    return this.sendSingly(messages, signal);
  }

  private async sendBatches(messages: readonly Message[], signal?: AbortSignal): Promise<BatchResponse> {
    const parts = await Promise.all(
      toChunks(messages, MAX_REQUESTS_PER_POST).map(async (chunk) => {
        const { text, serverTimeMs } = await this.http
          .post(this.url, JSON.stringify(chunk), { signal })
          .catch(throwBatchRefused);
        return { responses: matchResponses(chunk, parseBatch(text)), serverTimeMs };
      }),
    );
    return toBatchResponse(
      parts.flatMap(({ responses }) => responses),
      parts[0]?.serverTimeMs,
    );
  }

  private async sendSingly(messages: readonly Message[], signal?: AbortSignal): Promise<BatchResponse> {
    const responses: JsonRpcResponse[] = [];
    let nodeTimeMs: number | undefined;
    for (const chunk of toChunks(messages, MAX_SINGLE_REQUESTS)) {
      const answers = await Promise.all(
        chunk.map((message) => this.http.post(this.url, JSON.stringify(message), { signal })),
      );
      answers.forEach(({ text, serverTimeMs }, position) => {
        const answer = parseJson(text);
        if (getId(answer) !== chunk[position]?.id)
          throw new RpcNodeError('unavailable', 'the node answered another request');
        responses.push(toResponse(answer));
        nodeTimeMs ??= serverTimeMs;
      });
    }
    return toBatchResponse(responses, nodeTimeMs);
  }
}

interface Message extends JsonRpcRequest {
  readonly id: number;
}

const toBatchResponse = (
  responses: readonly JsonRpcResponse[],
  serverTimeMs: number | undefined,
): BatchResponse => (serverTimeMs === undefined ? { responses } : { responses, serverTimeMs });

function matchResponses(
  messages: readonly Message[],
  byId: ReadonlyMap<unknown, unknown>,
): JsonRpcResponse[] {
  return messages.map(({ id }) => {
    const answer = byId.get(id);
    if (answer === undefined) throw new RpcNodeError('unavailable', 'the node left out a response');
    return toResponse(answer);
  });
}

/** https://www.jsonrpc.org/specification#response_object */
function toResponse(answer: unknown): JsonRpcResponse {
  const { error, result } = answer as { readonly error?: unknown; readonly result?: unknown };
  if (error === undefined || error === null) return { ok: true, result };
  const parsed = jsonRpcErrorSchema.safeParse(error);
  if (!parsed.success)
    throw new RpcNodeError('unavailable', 'the node answered with an error without a code');
  return { ok: false, error: parsed.data };
}
