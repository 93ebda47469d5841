import { BrokenCircuitError } from 'cockatiel';
import { type AggregateResult } from './aggregate-request.js';
import { BlockAgeTracker } from '../../shared/block-age-tracker.js';
import { type ChainHeadTracker, type ObservedBlock } from '../../shared/chain-head-tracker.js';
import { type Address } from '../codec/abi-encode.js';
import { type JsonRpcClient, type JsonRpcRequest, type JsonRpcResult } from './json-rpc-client.js';
import { Multicall3Deployment } from './multicall3-deployment.js';
import { isContractError, RpcNodeError } from '../../shared/rpc-node-error.js';
import { NodeHealthMonitor, type NodeState } from '../../shared/node-health-monitor.js';
import { LivenessProbe } from '../../shared/liveness-probe.js';
import { type RpcNodeRequest } from './rpc-node-request.js';
import { type NodeCallReport } from '../../shared/node-metrics.js';

export interface ProbeIntervals {
  /** Milliseconds after which a node names its chain again, and is trusted again to have Multicall3. */
  readonly chainIdCheckIntervalMs: number;
  /** Milliseconds after which a node that was not asked, is slow or is behind tells its block again. */
  readonly standbyProbeIntervalMs: number;
}

export interface RpcNodeClientOptions {
  readonly rpc: JsonRpcClient;
  readonly chainId: number;
  readonly url: string;
  readonly headTracker: ChainHeadTracker;
  /** Where it stands on the chain; unset: nowhere. */
  readonly multicall3: Address | undefined;
  /** Asks how far the node is. */
  readonly probeRequest: RpcNodeRequest<AggregateResult>;
  readonly probeIntervals: ProbeIntervals;
  readonly onCall?: (call: NodeCallReport) => void;
  readonly onState?: (state: NodeState) => void;
}

/** One RPC URL of one chain. It is believed only after it has named its chain, and as long as it keeps up with it. */
export class RpcNodeClient {
  private readonly url: URL;
  private readonly health: NodeHealthMonitor;
  private readonly site: Multicall3Deployment;
  private readonly pulse: LivenessProbe;
  private readonly blockAge = new BlockAgeTracker();
  private verified = false;
  private check: Promise<void> | undefined;
  private checkedAt = 0;
  private heardAt = -Infinity;
  private lastBlock: ObservedBlock | undefined;
  private probing = false;

  constructor(private readonly options: RpcNodeClientOptions) {
    this.url = new URL(options.url);
    this.health = new NodeHealthMonitor(options.onState);
    this.site = new Multicall3Deployment(options.multicall3, options.probeIntervals.chainIdCheckIntervalMs);
    this.pulse = new LivenessProbe(() => {
      const { method, params } = options.probeRequest;
      return this.send({
        method,
        params: params(this.site.getAddress(performance.now())),
        shortTimeout: true,
      });
    });
  }

  getState(now: number): NodeState {
    return this.health.getState(now);
  }

  isSlow(now: number): boolean {
    return this.health.isSlow(now);
  }

  /** When a node that asked to be left alone may be asked again. */
  get cooldownUntil(): number {
    return this.health.cooldownUntil;
  }

  /** Rejects with NodeFailure. Only for a node that is `up`. */
  async request<T>(question: RpcNodeRequest<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await this.health.breaker.execute(async () => {
        if (!this.verified) await this.checkOnce();
        return this.pulse.watch(this.options.rpc.getTimeoutMs(question), () => this.answer(question, signal));
      });
    } catch (error) {
      if (error instanceof BrokenCircuitError)
        throw new RpcNodeError('unavailable', 'the node fails too often');
      throw error;
    } finally {
      this.health.notifyStateChange(performance.now());
    }
  }

  /**
   * Looks after the node in the background where that is due, so that no read has to pay for finding out how it fares.
   * A node that stands by tells its block from time to time; the one that is asked does so anyway.
   */
  runDueChecks(now: number, standsBy: boolean): void {
    this.health.notifyStateChange(now);
    if (this.probing) return;
    const { chainIdCheckIntervalMs, standbyProbeIntervalMs } = this.options.probeIntervals;
    const state = this.getState(now);
    const recheck =
      state === 'wrong_chain' || this.verified ? now - this.checkedAt >= chainIdCheckIntervalMs : standsBy;
    const survey = standsBy && state !== 'wrong_chain' && now - this.heardAt >= standbyProbeIntervalMs;
    // An open breaker says itself when.
    if (state !== 'breaker_open' && (state === 'rate_limited' || !(recheck || survey))) return;
    this.probing = true;
    void this.probe(standsBy);
  }

  private async probe(tellBlock: boolean): Promise<void> {
    try {
      await this.health.breaker.execute(async () => {
        await this.checkOnce();
        if (tellBlock) await this.answer(this.options.probeRequest);
      });
    } catch (error) {
      // What a node does wrong is in its health by now.
      if (!(error instanceof RpcNodeError || error instanceof BrokenCircuitError)) throw error;
    } finally {
      this.probing = false;
      this.health.notifyStateChange(performance.now());
    }
  }

  private async answer<T>(question: RpcNodeRequest<T>, signal?: AbortSignal): Promise<T> {
    const multicall3 = this.site.getAddress(performance.now());
    try {
      return await this.answerWith(multicall3, question, signal);
    } catch (error) {
      if (!(error instanceof RpcNodeError) || error.kind !== 'no_multicall' || multicall3 === undefined)
        throw error;
      this.site.markMissing(performance.now());
      return this.answerWith(undefined, question, signal);
    }
  }

  private async answerWith<T>(
    multicall3: Address | undefined,
    question: RpcNodeRequest<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { method, params, maxResultBytes, shortTimeout } = question;
    const best = this.options.headTracker.getBestBlockNumber(performance.now());
    const call = { method, params: params(multicall3), maxResultBytes, shortTimeout };
    const { result, serverTimeMs } = await this.send(call, signal);
    const answer = question.parseResult(result);
    const head = question.toHead?.(answer);
    if (head?.blockTimestamp !== undefined) this.checkAge(head.blockTimestamp, serverTimeMs);
    if (head?.blockNumber !== undefined) await this.place(head.blockNumber, best);
    return answer;
  }

  /** Throws NodeFailure when the node's newest block, which carries the time `minedAt`, is too old. */
  private checkAge(minedAt: number, theirs: number | undefined): void {
    const ageMs = this.blockAge.measureAgeMs({
      blockTimestamp: minedAt,
      localTimeMs: Date.now(),
      nodeTimeMs: theirs,
      observedAt: performance.now(),
    });
    this.health.stuck = this.options.headTracker.isStale(ageMs);
    if (this.health.stuck)
      throw new RpcNodeError('unavailable', "the node's newest block is too old", { excluded: true });
  }

  /** Throws NodeFailure when the node is behind what was the best block at the time of asking, or on another chain. */
  private async place(block: bigint, best: bigint | undefined): Promise<void> {
    const { headTracker } = this.options;
    const seen = { blockNumber: block, observedAt: performance.now() };
    const from = this.lastBlock;
    this.lastBlock = seen;
    if (from && !headTracker.isPlausibleAdvance(from, seen)) await this.checkOnce();
    this.health.lagging = headTracker.isLagging(block, best);
    if (this.health.lagging)
      throw new RpcNodeError('unavailable', 'the node is behind its chain', { excluded: true });
    headTracker.recordBlock(seen);
  }

  /** Shared by all who wait for it, so no caller's signal ends it: the time-outs of the transport do. */
  private checkOnce(): Promise<void> {
    this.check ??= this.checkChain().finally(() => {
      this.check = undefined;
    });
    return this.check;
  }

  private async checkChain(): Promise<void> {
    const { result: answer } = await this.send({ method: 'eth_chainId', params: '[]' });
    this.checkedAt = performance.now();
    this.verified = answer !== '0x' && BigInt(answer) === BigInt(this.options.chainId);
    this.health.wrongChain = !this.verified;
    if (!this.verified)
      throw new RpcNodeError('unavailable', 'the node serves another chain', { excluded: true });
  }

  private async send(call: JsonRpcRequest, signal?: AbortSignal): Promise<JsonRpcResult> {
    const { rpc, chainId, onCall } = this.options;
    this.health.recordRequest(performance.now());
    let outcome: NodeCallReport['outcome'] = 'unavailable';
    try {
      const result = await rpc.request(this.url, call, signal);
      this.heardAt = performance.now();
      this.health.recordResponse(this.heardAt);
      if (call.method === 'eth_call') this.pulse.recordActivity(this.heardAt);
      outcome = 'answered';
      return result;
    } catch (error) {
      this.heardAt = performance.now();
      if (error instanceof RpcNodeError) {
        this.health.recordFailure(error, this.heardAt);
        if (isContractError(error)) this.pulse.recordActivity(this.heardAt);
        outcome = error.kind;
      }
      throw error;
    } finally {
      onCall?.({ chainId, method: call.method, outcome });
    }
  }
}
