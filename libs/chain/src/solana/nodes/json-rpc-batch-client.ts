import { z } from 'zod';
import { type NodeHttpClient } from '../../shared/node-http-client.js';
import {
  BatchRefusedError,
  getId,
  MAX_REQUESTS_PER_POST,
  parseBatch,
  parseJson,
  SINGLE_REQUESTS_MS,
  throwBatchRefused,
  toChunks,
} from '../../shared/json-rpc-batch.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';

/** Concurrent single requests to a node that takes no batches. */
const MAX_SINGLE_REQUESTS = 8;

export interface JsonRpcRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

const jsonRpcErrorSchema = z.object({ code: z.number(), message: z.string().catch('') });
export type JsonRpcError = z.infer<typeof jsonRpcErrorSchema>;

/** What a node answered to one request. */
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
