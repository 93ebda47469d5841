import { type NodeHttpClient } from '../../shared/node-http-client.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';

/** Providers limit batches; 50 is within the limits that they document. */
const MAX_REQUESTS_PER_POST = 50;
/** Milliseconds for which a node that refused a batch gets single requests. */
const SINGLE_REQUESTS_MS = 60_000;
/** Statuses of a node that may take the same requests one by one. */
const BATCH_REFUSED_STATUSES: readonly unknown[] = [400, 403, 404, 405, 415, 422, 501];
/** Concurrent single requests to a node that takes no batches. */
const MAX_SINGLE_REQUESTS = 8;

export interface BatchResponse {
  /** JSON texts, one per request, in their order. */
  readonly responses: readonly string[];
  /** The node's clock, milliseconds since 1970. */
  readonly serverTimeMs?: number;
}

/** Sends JSON-RPC requests to one node in batches, or one by one to a node that takes no batches. */
export class JsonRpcBatchClient {
  private singleUntil = -Infinity;

  constructor(
    private readonly http: NodeHttpClient,
    private readonly url: URL,
  ) {}

  /** @param requests JSON texts with distinct ids. Rejects only with RpcNodeError. */
  async send(requests: readonly string[], signal?: AbortSignal): Promise<BatchResponse> {
    if (requests.length > 1 && performance.now() >= this.singleUntil)
      try {
        return await this.sendBatches(requests, signal);
      } catch (error) {
        if (!(error instanceof BatchRefusedError)) throw error;
        this.singleUntil = performance.now() + SINGLE_REQUESTS_MS;
      }
    return this.sendSingly(requests, signal);
  }

  private async sendBatches(requests: readonly string[], signal?: AbortSignal): Promise<BatchResponse> {
    const parts = await Promise.all(
      toChunks(requests, MAX_REQUESTS_PER_POST).map(async (chunk) => {
        const { text, serverTimeMs } = await this.postBatch(`[${chunk.join(',')}]`, signal);
        return { responses: matchResponses(chunk, parseBatch(text)), serverTimeMs };
      }),
    );
    return toBatchResponse(
      parts.flatMap(({ responses }) => responses),
      parts[0]?.serverTimeMs,
    );
  }

  private async postBatch(body: string, signal?: AbortSignal) {
    try {
      return await this.http.post(this.url, body, { signal });
    } catch (error) {
      if (error instanceof RpcNodeError && BATCH_REFUSED_STATUSES.includes(error.details.httpStatus))
        throw new BatchRefusedError();
      throw error;
    }
  }

  private async sendSingly(requests: readonly string[], signal?: AbortSignal): Promise<BatchResponse> {
    const responses: string[] = [];
    let nodeTimeMs: number | undefined;
    for (const chunk of toChunks(requests, MAX_SINGLE_REQUESTS)) {
      const answers = await Promise.all(
        chunk.map((request) => this.http.post(this.url, request, { signal })),
      );
      for (const { text, serverTimeMs } of answers) {
        responses.push(text);
        nodeTimeMs ??= serverTimeMs;
      }
    }
    return toBatchResponse(responses, nodeTimeMs);
  }
}

/** The node does not take a batch, but may take its requests one by one. */
class BatchRefusedError extends Error {}

const toBatchResponse = (responses: readonly string[], serverTimeMs: number | undefined): BatchResponse =>
  serverTimeMs === undefined ? { responses } : { responses, serverTimeMs };

function parseBatch(text: string): readonly unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new RpcNodeError('unavailable', 'the node did not answer with JSON');
  }
  if (!Array.isArray(parsed)) throw new BatchRefusedError();
  return parsed;
}

/** A node may answer the requests of a batch in any order. */
function matchResponses(requests: readonly string[], responses: readonly unknown[]): string[] {
  const byId = new Map(
    responses.map((response) => [(response as { id?: unknown } | null)?.id, response] as const),
  );
  if (byId.size !== responses.length)
    throw new RpcNodeError('unavailable', 'the node answered a request twice');
  return requests.map((request) => {
    const response = byId.get((JSON.parse(request) as { id: unknown }).id);
    if (response === undefined) throw new RpcNodeError('unavailable', 'the node left out a response');
    return JSON.stringify(response);
  });
}

export function toChunks<T>(list: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < list.length; start += size) chunks.push(list.slice(start, start + size));
  return chunks;
}
