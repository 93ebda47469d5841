import { BlockAgeTracker, type ChainHeadTracker } from '../chain-head-tracker.js';
import type { FailoverNode } from '../../call/failover-client.js';
import { LivenessProbe, NodeHealthMonitor, type NodeState } from '../node-health.js';
import type { NodeHttpClient } from '../../http/node-http-client.js';
import type { NodeCallReport } from '../node-metrics.js';
import { createMissingBlockError, RpcNodeError } from '../rpc-node-error.js';
import type { SolanaChainInfo } from '../../solana/solana-chains.js';
import type { SolanaCall } from '../../reads/solana/solana-read.js';
import { type BatchResponse, JsonRpcBatchClient, type JsonRpcRequest } from '../json-rpc-batch-client.js';
import { AccountBatch, type AccountResponses } from './account-batch.js';

interface SolanaNodeClientOptions {
  readonly chain: SolanaChainInfo;
  readonly url: string;
  readonly http: NodeHttpClient;
  readonly headTracker: ChainHeadTracker;
  /** Milliseconds between probes of a node that gets no requests. */
  readonly standbyProbeIntervalMs: number;
  readonly onCall?: (call: NodeCallReport) => void;
  readonly onState?: (state: NodeState) => void;
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
export class SolanaNodeClient implements FailoverNode {
  private readonly health: NodeHealthMonitor;
  private readonly rpc: JsonRpcBatchClient;
  private readonly blockAge = new BlockAgeTracker();
  /** Callers choose the accounts, and a slow one must not make the node look dead. */
  private readonly livenessProbe = new LivenessProbe(() => this.read([]));
  private probing = false;

  constructor(private readonly options: SolanaNodeClientOptions) {
    this.health = new NodeHealthMonitor(options.onState);
    this.rpc = new JsonRpcBatchClient(options.http, new URL(options.url));
  }

  getState(now: number): NodeState {
    return this.health.getState(now);
  }

  isSlow(now: number): boolean {
    return this.health.isSlow(now);
  }

  get cooldownUntil(): number {
    return this.health.cooldownUntil;
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
      this.livenessProbe.watch(this.options.http.limits.requestTimeoutMs, () => this.read(calls, options)),
    );
  }

  private async probe(): Promise<void> {
    try {
      await this.request([]);
    } catch (error) {
      // The health monitor has recorded the failure already.
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
    this.checkGenesisHash(genesisHash);
    this.checkClock(clockTime, serverTimeMs);
    this.checkSlot(slot, bestSlot);
    if (minSlot !== undefined && slot < minSlot) throw createMissingBlockError();
    return results;
  }

  private checkGenesisHash(genesisHash: string): void {
    this.health.wrongChain = genesisHash !== this.options.chain.genesisHash;
    if (this.health.wrongChain)
      throw new RpcNodeError('unavailable', 'the node serves another cluster', { excluded: true });
  }

  /** Throws RpcNodeError if the node's newest slot is too old. */
  private checkClock(clockTime: number, nodeTimeMs: number | undefined): void {
    const ageMs = this.blockAge.measureAgeMs({
      blockTimestamp: clockTime,
      localTimeMs: Date.now(),
      nodeTimeMs,
      observedAt: performance.now(),
    });
    this.health.stuck = this.options.headTracker.isStale(ageMs);
    if (this.health.stuck)
      throw new RpcNodeError('unavailable', "the node's newest slot is too old", { excluded: true });
  }

  /** Throws RpcNodeError if the node is behind `bestSlot`, the best slot when the request was sent. */
  private checkSlot(slot: bigint, bestSlot: bigint | undefined): void {
    const { headTracker } = this.options;
    this.health.lagging = headTracker.isLagging(slot, bestSlot);
    if (this.health.lagging)
      throw new RpcNodeError('unavailable', 'the node is behind its cluster', { excluded: true });
    headTracker.recordBlock({ blockNumber: slot, observedAt: performance.now() });
  }

  private async post(requests: readonly JsonRpcRequest[], signal?: AbortSignal): Promise<BatchResponse> {
    const { chain, onCall } = this.options;
    const response = await this.health.track(
      () => this.rpc.send(requests, signal),
      (outcome) => onCall?.({ chainId: chain.id, method: 'batch', outcome }),
    );
    this.livenessProbe.recordActivity(this.health.lastOutcomeAt);
    return response;
  }
}
