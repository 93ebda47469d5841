import { BrokenCircuitError } from 'cockatiel';
import { type Aggregate } from './aggregate.js';
import { BlockAge } from './block-age.js';
import { type ChainHeight, type SeenBlock } from './chain-height.js';
import { type Address } from './hex.js';
import { type JsonRpc, type RpcCall, type RpcResult } from './json-rpc.js';
import { Multicall3Site } from './multicall3-site.js';
import { isContractsDoing, NodeFailure } from './node-failure.js';
import { NodeHealth, type NodeState } from './node-health.js';
import { NodePulse } from './node-pulse.js';
import { type NodeQuestion } from './node-question.js';
import { type NodeCall } from './node-reports.js';

export interface ProbeTimes {
  /** Milliseconds after which a node names its chain again, and is trusted again to have Multicall3. */
  readonly recheckMs: number;
  /** Milliseconds after which a node that was not asked, is slow or is behind tells its block again. */
  readonly surveyMs: number;
}

export interface RpcProviderOptions {
  readonly rpc: JsonRpc;
  readonly chainId: number;
  readonly url: string;
  readonly height: ChainHeight;
  /** Where it stands on the chain; unset: nowhere. */
  readonly multicall3: Address | undefined;
  /** Asks how far the node is. */
  readonly probe: NodeQuestion<Aggregate>;
  readonly probeTimes: ProbeTimes;
  readonly onCall?: (call: NodeCall) => void;
  readonly onState?: (state: NodeState) => void;
}

/** One RPC URL of one chain. It is believed only after it has named its chain, and as long as it keeps up with it. */
export class RpcProvider {
  private readonly url: URL;
  private readonly health: NodeHealth;
  private readonly site: Multicall3Site;
  private readonly pulse: NodePulse;
  private readonly blockAge = new BlockAge();
  private verified = false;
  private check: Promise<void> | undefined;
  private checkedAt = 0;
  private heardAt = -Infinity;
  private lastBlock: SeenBlock | undefined;
  private probing = false;

  constructor(private readonly options: RpcProviderOptions) {
    this.url = new URL(options.url);
    this.health = new NodeHealth(options.onState);
    this.site = new Multicall3Site(options.multicall3, options.probeTimes.recheckMs);
    this.pulse = new NodePulse(() => {
      const { method, params } = options.probe;
      return this.send({ method, params: params(this.site.at(performance.now())), brisk: true });
    });
  }

  state(now: number): NodeState {
    return this.health.state(now);
  }

  isSlow(now: number): boolean {
    return this.health.isSlow(now);
  }

  /** When a node that asked to be left alone may be asked again. */
  get restUntil(): number {
    return this.health.restUntil;
  }

  /** Rejects with NodeFailure. Only for a node that is `up`. */
  async ask<T>(question: NodeQuestion<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await this.health.breaker.execute(async () => {
        if (!this.verified) await this.checkOnce();
        return this.pulse.watch(this.options.rpc.timeoutMs(question), () => this.answer(question, signal));
      });
    } catch (error) {
      if (error instanceof BrokenCircuitError)
        throw new NodeFailure('unavailable', 'the node fails too often');
      throw error;
    } finally {
      this.health.report(performance.now());
    }
  }

  /**
   * Looks after the node in the background where that is due, so that no read has to pay for finding out how it fares.
   * A node that stands by tells its block from time to time; the one that is asked does so anyway.
   */
  tend(now: number, standsBy: boolean): void {
    this.health.report(now);
    if (this.probing) return;
    const { recheckMs, surveyMs } = this.options.probeTimes;
    const state = this.state(now);
    const recheck = state === 'wrong_chain' || this.verified ? now - this.checkedAt >= recheckMs : standsBy;
    const survey = standsBy && state !== 'wrong_chain' && now - this.heardAt >= surveyMs;
    // An open breaker says itself when.
    if (state !== 'breaker_open' && (state === 'rate_limited' || !(recheck || survey))) return;
    this.probing = true;
    void this.probe(standsBy);
  }

  private async probe(tellBlock: boolean): Promise<void> {
    try {
      await this.health.breaker.execute(async () => {
        await this.checkOnce();
        if (tellBlock) await this.answer(this.options.probe);
      });
    } catch (error) {
      // What a node does wrong is in its health by now.
      if (!(error instanceof NodeFailure || error instanceof BrokenCircuitError)) throw error;
    } finally {
      this.probing = false;
      this.health.report(performance.now());
    }
  }

  private async answer<T>(question: NodeQuestion<T>, signal?: AbortSignal): Promise<T> {
    const multicall3 = this.site.at(performance.now());
    try {
      return await this.answerWith(multicall3, question, signal);
    } catch (error) {
      if (!(error instanceof NodeFailure) || error.kind !== 'no_multicall' || multicall3 === undefined)
        throw error;
      this.site.missing(performance.now());
      return this.answerWith(undefined, question, signal);
    }
  }

  private async answerWith<T>(
    multicall3: Address | undefined,
    question: NodeQuestion<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { method, params, maxResultBytes, brisk } = question;
    const best = this.options.height.bestAt(performance.now());
    const call = { method, params: params(multicall3), maxResultBytes, brisk };
    const { result, saidAt } = await this.send(call, signal);
    const answer = question.interpret(result);
    const head = question.headOf?.(answer);
    if (head?.minedAt !== undefined) this.checkAge(head.minedAt, saidAt);
    if (head?.block !== undefined) await this.place(head.block, best);
    return answer;
  }

  /** Throws NodeFailure when the node's newest block, which carries the time `minedAt`, is too old. */
  private checkAge(minedAt: number, theirs: number | undefined): void {
    const ageMs = this.blockAge.see({ minedAt, ours: Date.now(), theirs, at: performance.now() });
    this.health.stuck = this.options.height.isStale(ageMs);
    if (this.health.stuck)
      throw new NodeFailure('unavailable', "the node's newest block is too old", { excluded: true });
  }

  /** Throws NodeFailure when the node is behind what was the best block at the time of asking, or on another chain. */
  private async place(block: bigint, best: bigint | undefined): Promise<void> {
    const { height } = this.options;
    const seen = { block, at: performance.now() };
    const from = this.lastBlock;
    this.lastBlock = seen;
    if (from && !height.isPlausible(from, seen)) await this.checkOnce();
    this.health.lagging = height.isBehind(block, best);
    if (this.health.lagging)
      throw new NodeFailure('unavailable', 'the node is behind its chain', { excluded: true });
    height.saw(seen);
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
      throw new NodeFailure('unavailable', 'the node serves another chain', { excluded: true });
  }

  private async send(call: RpcCall, signal?: AbortSignal): Promise<RpcResult> {
    const { rpc, chainId, onCall } = this.options;
    this.health.asked(performance.now());
    let outcome: NodeCall['outcome'] = 'unavailable';
    try {
      const result = await rpc.request(this.url, call, signal);
      this.heardAt = performance.now();
      this.health.answered(this.heardAt);
      if (call.method === 'eth_call') this.pulse.beat(this.heardAt);
      outcome = 'answered';
      return result;
    } catch (error) {
      this.heardAt = performance.now();
      if (error instanceof NodeFailure) {
        this.health.failed(error, this.heardAt);
        if (isContractsDoing(error)) this.pulse.beat(this.heardAt);
        outcome = error.kind;
      }
      throw error;
    } finally {
      onCall?.({ chainId, method: call.method, outcome });
    }
  }
}
