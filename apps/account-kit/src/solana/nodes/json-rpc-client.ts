import {
  JsonRpcBatchClient,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type NodeHttpClient,
  RpcNodeError,
} from '@app/chain/json-rpc';
import { createBatcher } from '@app/common';
import type { z } from 'zod';

/**
 * A call with a transaction takes at most 2 KiB, so that 16 of them fit into 50 KiB, the longest body that nodes take.
 */
const MAX_CALLS_PER_POST = 16;

/** The node answered that the request is wrong: other nodes would, too. */
export class SolanaRequestError extends Error {
  override readonly name = 'SolanaRequestError';
}

/** The node did not answer, or not as a node should: another one may. Its message has no URL, which may hold a key. */
export class SolanaNodeError extends Error {
  override readonly name = 'SolanaNodeError';
}

/** Invalid parameters, failed preflight, wrong signature: https://solana.com/docs/rpc */
const REQUEST_ERROR_CODES: readonly number[] = [-32_602, -32_002, -32_003];

/** A client for one node of a Solana cluster. */
export class JsonRpcClient {
  private readonly client: JsonRpcBatchClient;

  /** A request to the node costs more than a call in it, here and there. */
  private readonly together = createBatcher((calls: readonly JsonRpcRequest[]) => this.postTogether(calls), {
    batchWindowMs: 0,
    maxBatchSize: MAX_CALLS_PER_POST,
    isParallel: true,
  });

  constructor(http: NodeHttpClient, url: URL) {
    this.client = new JsonRpcBatchClient(http, url);
  }

  /** @throws SolanaNodeError, SolanaRequestError */
  async call<T>(method: string, params: readonly unknown[], result: z.ZodType<T>): Promise<T> {
    const [response] = await this.post([{ method, params }]);
    return read(method, response, result);
  }

  /**
   * Calls a method that nodes answer at once: calls of the same turn of the event loop share a request. Each has an
   * error of its own, unless the node does not answer.
   */
  async callTogether<T>(method: string, params: readonly unknown[], result: z.ZodType<T>): Promise<T> {
    return read(method, await this.together.load({ method, params }), result);
  }

  /** No call of a tenant makes those of others fail: each is made alone if the node does not take them together. */
  private async postTogether(
    calls: readonly JsonRpcRequest[],
  ): Promise<readonly (JsonRpcResponse | Error)[]> {
    try {
      return await this.post(calls);
    } catch (error) {
      if (calls.length === 1 || !(error instanceof SolanaNodeError) || isBusy(error.cause)) throw error;
      const outcomes = await Promise.allSettled(calls.map((call) => this.post([call])));
      return outcomes.map((outcome) =>
        outcome.status === 'rejected'
          ? (outcome.reason as Error)
          : (outcome.value[0] ?? new Error('a call has no response')),
      );
    }
  }

  private async post(calls: readonly JsonRpcRequest[]): Promise<readonly JsonRpcResponse[]> {
    try {
      return (await this.client.send(calls)).responses;
    } catch (error) {
      if (!(error instanceof RpcNodeError)) throw error;
      throw new SolanaNodeError(error.message, { cause: error });
    }
  }
}

/** A node that is busy needs fewer requests, not more. */
const isBusy = (error: unknown): boolean =>
  error instanceof RpcNodeError &&
  (error.details.timedOut === true || error.details.retryAfterMs !== undefined);

function read<T>(method: string, response: JsonRpcResponse | undefined, result: z.ZodType<T>): T {
  if (!response) throw new Error('a call has no response');
  if (!response.ok) {
    const { code, message } = response.error;
    if (REQUEST_ERROR_CODES.includes(code)) throw new SolanaRequestError(message);
    throw new SolanaNodeError(`${method}: the node answered the error ${code}`);
  }
  const parsed = result.safeParse(response.result);
  if (!parsed.success) throw new SolanaNodeError(`${method}: the node answered in an unknown form`);
  return parsed.data;
}
