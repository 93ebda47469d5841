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
    private readonly http: Pick<NodeHttpClient, 'post'>,
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
      answers.forEach(({ text, serverTimeMs }, position) => {
        checkId(chunk[position] ?? '', parseResponse(text));
        responses.push(text);
        nodeTimeMs ??= serverTimeMs;
      });
    }
    return toBatchResponse(responses, nodeTimeMs);
  }
}

/** The node does not take a batch, but may take its requests one by one. */
class BatchRefusedError extends Error {}

const toBatchResponse = (responses: readonly string[], serverTimeMs: number | undefined): BatchResponse =>
  serverTimeMs === undefined ? { responses } : { responses, serverTimeMs };

function parseResponse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcNodeError('unavailable', 'the node did not answer with JSON');
  }
}

/** @throws BatchRefusedError for one error that is the response to the whole batch, in a list or not */
function parseBatch(text: string): readonly unknown[] {
  const parsed = parseResponse(text);
  if (!Array.isArray(parsed)) {
    if (isError(parsed)) throw new BatchRefusedError();
    throw new RpcNodeError('unavailable', 'the node did not answer with a batch');
  }
  const [first, ...others] = parsed as readonly unknown[];
  if (others.length === 0 && isError(first) && (getId(first) ?? null) === null) throw new BatchRefusedError();
  return parsed;
}

function isError(response: unknown): boolean {
  const error = (response as { readonly error?: unknown } | null)?.error;
  return typeof error === 'object' && error !== null;
}

/** Throws RpcNodeError for the response to another request. */
function checkId(request: string, response: unknown): void {
  if (getId(response) !== getId(JSON.parse(request)))
    throw new RpcNodeError('unavailable', 'the node answered another request');
}

const getId = (message: unknown): unknown => (message as { readonly id?: unknown } | null)?.id;

/** A node may answer the requests of a batch in any order. */
function matchResponses(requests: readonly string[], responses: readonly unknown[]): string[] {
  const byId = new Map(responses.map((response) => [getId(response), response] as const));
  if (byId.size !== responses.length)
    throw new RpcNodeError('unavailable', 'the node answered a request twice');
  return requests.map((request) => {
    const response = byId.get(getId(JSON.parse(request)));
    if (response === undefined) throw new RpcNodeError('unavailable', 'the node left out a response');
    return JSON.stringify(response);
  });
}

export function toChunks<T>(list: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < list.length; start += size) chunks.push(list.slice(start, start + size));
  return chunks;
}
