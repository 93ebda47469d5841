import { ChainNode, type ChainNodeOptions } from '../chain-node.js';
import type { NodeHttpClient } from '../../http/node-http-client.js';
import { createMissingBlockError, RpcNodeError } from '../rpc-node-error.js';
import type { SolanaChainInfo } from '../../solana/solana-chains.js';
import type { SolanaCall } from '../../reads/solana/solana-read.js';
import { type BatchResponse, JsonRpcBatchClient, type JsonRpcRequest } from '../json-rpc-batch-client.js';
import { AccountBatch, type AccountResponses } from './account-batch.js';

interface SolanaNodeClientOptions extends ChainNodeOptions {
  readonly chain: SolanaChainInfo;
  readonly http: NodeHttpClient;
  /** Milliseconds between probes of a node that gets no requests. */
  readonly standbyProbeIntervalMs: number;
}

interface SolanaRequestOptions {
  readonly signal?: AbortSignal;
  /** The node answers only for this slot or a later one. */
  readonly minSlot?: bigint;
}

/**
 * A client for one RPC URL of one cluster. Each request asks for the genesis hash and the clock, too: results of
 * another cluster, and of a node that is stuck or behind, never count.
 */
export class SolanaNodeClient extends ChainNode<SolanaNodeClientOptions> {
  private readonly rpc: JsonRpcBatchClient;
  private probing = false;

  constructor(options: SolanaNodeClientOptions) {
    super(options, { block: 'slot', chain: 'cluster' });
    this.rpc = new JsonRpcBatchClient(options.http, this.url);
  }

  /** Probes a node that gets no requests, or none for its state. An open breaker limits its probes itself. */
  runDueChecks(now: number, isStandby: boolean): void {
    this.health.notifyStateChange(now);
    const state = this.getState(now);
    const isDue = isStandby && now - this.health.lastOutcomeAt >= this.options.standbyProbeIntervalMs;
    if (this.probing || state === 'rate_limited' || !(isDue || state === 'breaker_open')) return;
    this.probing = true;
    void this.probe();
  }

  /**
   * Reads; the results are in the order of the calls, and undefined if this node cannot answer a call, but another one
   * may. Rejects with RpcNodeError if the node as a whole failed.
   */
  request(
    calls: readonly SolanaCall[],
    options: SolanaRequestOptions = {},
  ): Promise<AccountResponses['results']> {
    return this.health.execute(() =>
      this.health.watch(this.options.http.limits.requestTimeoutMs, () => this.read(calls, options)),
    );
  }

  /** Callers choose the accounts, and a slow one must not make the node look dead. */
  protected sendLivenessProbe(): Promise<unknown> {
    return this.read([]);
  }

  private async probe(): Promise<void> {
    try {
      await this.request([]);
    } catch (error) {
      // NodeHealth has recorded the failure already.
      if (!(error instanceof RpcNodeError)) throw error;
    } finally {
      this.probing = false;
    }
  }

  private async read(
    calls: readonly SolanaCall[],
    { signal, minSlot }: SolanaRequestOptions = {},
  ): Promise<AccountResponses['results']> {
    const bestSlot = this.options.headTracker.getBestBlockNumber(performance.now());
    const batch = new AccountBatch(calls, minSlot);
    const { responses, serverTimeMs } = await this.post(batch.requests, signal);
    const { genesisHash, clockTime, slot, results } = batch.parse(responses);
    this.setServesChain(genesisHash === this.options.chain.genesisHash);
    this.checkBlockAge(clockTime, serverTimeMs);
    this.checkBlockNumber({ blockNumber: slot, observedAt: performance.now() }, bestSlot);
    if (minSlot !== undefined && slot < minSlot) throw createMissingBlockError();
    return results;
  }

  private post(requests: readonly JsonRpcRequest[], signal?: AbortSignal): Promise<BatchResponse> {
    const { chain, onCall } = this.options;
    return this.health.track(() => this.rpc.send(requests, signal), {
      isCall: true,
      onOutcome: (outcome) => onCall?.({ chainId: chain.id, method: 'batch', outcome }),
    });
  }
}
