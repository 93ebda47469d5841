import {
  JsonRpcBatchClient,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type NodeHttpClient,
  RpcNodeError,
} from '@app/chain/json-rpc';
import { boundEntries, createBatcher } from '@app/common';
import { Bulkhead } from '@app/limits';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { SolanaNodeError, SolanaRequestError } from './solana-node.errors.js';

/**
 * A call with a transaction takes at most 2 KiB, so that 16 of them fit into 50 KiB, the longest body that nodes take.
 */
const MAX_CALLS_PER_POST = 16;
/** Requests to a node at the same time with what client applications have chosen. */
export const MAX_CLIENT_POSTS = 48;
/** Requests of one client application among them. */
const MAX_POSTS_PER_CLIENT = 8;
/** Requests of one client application that wait. */
const MAX_WAITING_PER_CLIENT = 64;
/** Client applications whose calls are collected at the same time. */
const MAX_CLIENTS = 1_000;
/** Methods whose requests or responses hold what a client application has chosen, which may take a node too long or be too large for it. */
const TRANSACTION_METHODS: ReadonlySet<string> = new Set([
  'getMultipleAccounts',
  'getTransaction',
  'sendTransaction',
  'simulateTransaction',
]);

/** Invalid parameters, failed preflight, wrong signature: https://solana.com/docs/rpc */
const REQUEST_ERROR_CODES: readonly number[] = [-32_602, -32_002, -32_003];

/** A client for one node of a Solana cluster. */
export class JsonRpcClient {
  private readonly client: JsonRpcBatchClient;
  /** A client application whose transactions a node takes long for holds up only its own requests. */
  private readonly clientPosts = new Bulkhead({
    max: MAX_CLIENT_POSTS,
    maxPerKey: MAX_POSTS_PER_CLIENT,
    maxWaitingPerKey: MAX_WAITING_PER_CLIENT,
    createFullError: () =>
      new SolanaNodeError('too many requests of the client application wait for the node', {
        isOfTransaction: true,
      }),
  });
  /** Batches by client application: a request costs more than a call in it, and a slow call holds up its whole request. */
  private readonly together = new LRUCache<string, ReturnType<JsonRpcClient['createBatcher']>>(
    boundEntries(MAX_CLIENTS),
  );

  constructor(http: NodeHttpClient, url: URL) {
    this.client = new JsonRpcBatchClient(http, url);
  }

  /** @throws SolanaNodeError, SolanaRequestError */
  async call<T>(method: string, params: readonly unknown[], result: z.ZodType<T>): Promise<T> {
    const [response] = await this.post([{ method, params }]);
    return read(method, response, result);
  }

  /** Does what `call` does, among the requests of a client application, which has a bulkhead. */
  async callFor<T>(clientId: string, { method, params }: JsonRpcRequest, result: z.ZodType<T>): Promise<T> {
    const [response] = await this.postFor(clientId, [{ method, params }]);
    return read(method, response, result);
  }

  /**
   * Does what `callFor` does, for calls that a node answers at once: those of one client application in the same turn of the event loop
   * share a request. Each has an error of its own, unless the node does not answer.
   */
  async callTogetherFor<T>(
    clientId: string,
    { method, params }: JsonRpcRequest,
    result: z.ZodType<T>,
  ): Promise<T> {
    const batcher = this.together.get(clientId) ?? this.createBatcher(clientId);
    this.together.set(clientId, batcher);
    return read(method, await batcher.load({ method, params }), result);
  }

  private createBatcher(clientId: string) {
    const post = (calls: readonly JsonRpcRequest[]) => this.postTogether(clientId, calls);
    return createBatcher(post, { batchWindowMs: 0, maxBatchSize: MAX_CALLS_PER_POST, isParallel: true });
  }

  /** No call makes the others of its batch fail: each is made alone if the node does not take them together. */
  private async postTogether(
    clientId: string,
    calls: readonly JsonRpcRequest[],
  ): Promise<readonly (JsonRpcResponse | Error)[]> {
    try {
      return await this.postFor(clientId, calls);
    } catch (error) {
      if (calls.length === 1 || !(error instanceof SolanaNodeError) || isBusy(error.cause)) throw error;
      const outcomes = await Promise.allSettled(calls.map((call) => this.postFor(clientId, [call])));
      return outcomes.map((outcome) =>
        outcome.status === 'rejected'
          ? (outcome.reason as Error)
          : (outcome.value[0] ?? new Error('a call has no response')),
      );
    }
  }

  private postFor(clientId: string, calls: readonly JsonRpcRequest[]): Promise<readonly JsonRpcResponse[]> {
    return this.clientPosts.run(clientId, () => this.post(calls));
  }

  private async post(calls: readonly JsonRpcRequest[]): Promise<readonly JsonRpcResponse[]> {
    try {
      return (await this.client.send(calls)).responses;
    } catch (error) {
      if (!(error instanceof RpcNodeError)) throw error;
      const isOfTransaction = calls.every(({ method }) => TRANSACTION_METHODS.has(method));
      throw new SolanaNodeError(error.message, { cause: error, isOfTransaction });
    }
  }
}

/** A node that is busy needs fewer requests, not more. */
const isBusy = (error: unknown): boolean =>
  error instanceof RpcNodeError &&
  (error.details.timedOut === true || error.details.retryAfterMs !== undefined);

function read<T>(method: string, response: JsonRpcResponse | undefined, result: z.ZodType<T>): T {
  if (!response) throw new Error('a call has no response');
  const isOfTransaction = TRANSACTION_METHODS.has(method);
  if (!response.ok) {
    const { code, message } = response.error;
    if (REQUEST_ERROR_CODES.includes(code)) throw new SolanaRequestError(message);
    throw new SolanaNodeError(`${method}: the node answered the error ${code}`, { isOfTransaction });
  }
  const parsed = result.safeParse(response.result);
  if (!parsed.success)
    throw new SolanaNodeError(`${method}: the node answered in an unknown form`, { isOfTransaction });
  return parsed.data;
}
