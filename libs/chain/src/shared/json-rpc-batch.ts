import { MINUTE_MS } from '@app/common';
import { RpcNodeError } from './rpc-node-error.js';

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

export const getId = (answer: unknown): unknown => (answer as { readonly id?: unknown } | null)?.id;

export function toChunks<T>(list: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < list.length; start += size) chunks.push(list.slice(start, start + size));
  return chunks;
}
