import type { EvmAddress } from '@app/dto';
import type { JsonRpcCall, JsonRpcClient, JsonRpcRequest, JsonRpcResult } from './json-rpc-client.js';
import type { AggregateResult } from '../../call/evm/aggregate-request.js';
import { GET_CODE_METHOD } from '../../reads/evm/call-params.js';
import type { ObservedBlock } from '../chain-head-tracker.js';
import { ChainNode, type ChainNodeOptions } from '../chain-node.js';
import { createMissingBlockError, RpcNodeError } from '../rpc-node-error.js';

/** The newest block of a node, as far as one of its responses says. */
interface ChainHead {
  /** The chain id as contracts see it. */
  readonly chainId?: bigint;
  readonly blockNumber?: bigint;
  /** Block timestamp, seconds since 1970. */
  readonly blockTimestamp?: number;
}

/** A JSON-RPC request and how its result is parsed. */
export interface RpcNodeRequest<T> {
  readonly method: string;
  /** JSON text. `multicall3` is its address on the node; undefined: the request injects it by state override. */
  readonly params: (multicall3: EvmAddress | undefined) => string;
  /** Sent in one batch with the request; `parseResult` gets their results. */
  readonly companions?: readonly JsonRpcCall[];
  /** A longer result is `flooded`. Unset: the client's limit applies, and a longer response is `too_heavy`. */
  readonly maxResultBytes?: number;
  /** A quarter of the usual timeout. */
  readonly shortTimeout?: boolean;
  /** Whether no other request waits for the socket. */
  readonly isIsolated?: boolean;
  /** The block that earlier reads were made at, which `params` name. */
  readonly pinnedBlock?: bigint;
  /**
   * Parses the result, a hex text with 0x. Throws RpcNodeError on a result that no healthy node gives.
   * @param companions undefined for a companion without a result
   */
  readonly parseResult: (result: string, companions?: readonly (string | undefined)[]) => T;
  /** Reads the node's newest block from the result; a block number only where the newest block was requested. */
  readonly toHead?: (result: T) => ChainHead;
}

interface ProbeIntervals {
  /** Milliseconds between checks of the node's chain id; also how long Multicall3 counts as missing. */
  readonly chainIdCheckIntervalMs: number;
  /** Milliseconds between block probes of a node that gets no requests, is slow or is lagging. */
  readonly standbyProbeIntervalMs: number;
}

interface RpcNodeClientOptions extends ChainNodeOptions {
  readonly rpc: JsonRpcClient;
  readonly chainId: number;
  /** Unset: the chain has no deployment. */
  readonly multicall3: EvmAddress | undefined;
  /** Queries the node's newest block. */
  readonly probeRequest: RpcNodeRequest<AggregateResult>;
  readonly probeIntervals: ProbeIntervals;
}

/**
 * A client for one RPC URL of one chain. Its results count only after it has reported the right chain id, and while it
 * is in sync.
 */
export class RpcNodeClient extends ChainNode<RpcNodeClientOptions> {
  private readonly multicall3: Multicall3Deployment;
  private isChainVerified = false;
  private pendingChainIdCheck: Promise<void> | undefined;
  private chainIdCheckedAt = 0;
  private lastBlock: ObservedBlock | undefined;
  private pendingProbe: Promise<void> | undefined;
  /** The chain id that contracts see; on a few chains it differs from eth_chainId. */
  private evmChainId: bigint;

  constructor(options: RpcNodeClientOptions) {
    super(options, { block: 'block', chain: 'chain' });
    this.evmChainId = BigInt(options.chainId);
    this.multicall3 = new Multicall3Deployment(
      options.multicall3,
      options.probeIntervals.chainIdCheckIntervalMs,
    );
  }

  /** Rejects with RpcNodeError. Only for a node that is `up`. */
  async request<T>(request: RpcNodeRequest<T>, signal?: AbortSignal): Promise<T> {
    return this.health.execute(async () => {
      if (!this.isChainVerified) await this.checkChainId();
      const send = (): Promise<T> => this.sendWithFallback(request, signal);
      if (request.method === GET_CODE_METHOD) return send().catch(throwAsAlive);
      if (request.method !== 'eth_call') return send();
      return this.health.watch(this.options.rpc.getTimeoutMs(request), send);
    });
  }

  /** Starts the checks that are due in the background, so that no read waits for them. A standby node gets a block probe too. */
  runDueChecks(now: number, isStandby: boolean): void {
    this.health.notifyStateChange(now);
    if (this.pendingProbe) return;
    const { chainIdCheckIntervalMs, standbyProbeIntervalMs } = this.options.probeIntervals;
    const state = this.getState(now);
    const isChainIdCheckDue =
      state === 'wrong_chain' || this.isChainVerified
        ? now - this.chainIdCheckedAt >= chainIdCheckIntervalMs
        : isStandby;
    const isBlockProbeDue =
      isStandby && state !== 'wrong_chain' && now - this.health.lastOutcomeAt >= standbyProbeIntervalMs;
    // An open breaker limits its probes itself.
    if (state !== 'breaker_open' && (state === 'rate_limited' || !(isChainIdCheckDue || isBlockProbeDue)))
      return;
    void this.startProbe(isStandby);
  }

  /** Reports the node's newest block to the head tracker. Resolves in any case. */
  probeBlock(): Promise<void> {
    return this.startProbe(true);
  }

  /** @throws RpcNodeError if the node's newest block is behind what other nodes have reported in the meantime */
  checkLag(now: number): void {
    if (!this.lastBlock) return;
    this.updateLag(this.lastBlock.blockNumber, this.options.headTracker.getBestBlockNumber(now));
    this.health.notifyStateChange(now);
    if (this.health.lagging) throw this.createLaggingError();
  }

  protected sendLivenessProbe(): Promise<unknown> {
    const { method, params } = this.options.probeRequest;
    const multicall3 = this.multicall3.getAddress(performance.now());
    return this.send({ method, params: params(multicall3), shortTimeout: true });
  }

  private startProbe(includeBlock: boolean): Promise<void> {
    this.pendingProbe ??= this.probe(includeBlock).finally(() => {
      this.pendingProbe = undefined;
    });
    return this.pendingProbe;
  }

  private async probe(includeBlock: boolean): Promise<void> {
    try {
      await this.health.execute(async () => {
        await this.checkChainId();
        if (includeBlock) await this.sendWithFallback(this.options.probeRequest);
      });
    } catch (error) {
      // NodeHealth has recorded the failure already.
      if (!(error instanceof RpcNodeError)) throw error;
    }
  }

  /** Retries with injected code if the node has no Multicall3 at the chain's address. */
  private async sendWithFallback<T>(request: RpcNodeRequest<T>, signal?: AbortSignal): Promise<T> {
    const multicall3 = this.multicall3.getAddress(performance.now());
    try {
      return await this.sendAndParse(multicall3, request, signal);
    } catch (error) {
      if (!(error instanceof RpcNodeError)) throw error;
      if (request.pinnedBlock !== undefined && error.details.blockMissing) throw createMissingBlockError();
      if (error.kind !== 'no_multicall' || multicall3 === undefined) throw error;
      this.multicall3.markMissing(performance.now());
      return this.sendAndParse(undefined, request, signal);
    }
  }

  private async sendAndParse<T>(
    multicall3: EvmAddress | undefined,
    request: RpcNodeRequest<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { method, params, companions, maxResultBytes, shortTimeout, isIsolated } = request;
    const bestBlock = this.options.headTracker.getBestBlockNumber(performance.now());
    const limits = { maxResultBytes, shortTimeout, isIsolated };
    const rpcRequest = { method, params: params(multicall3), companions, ...limits };
    const { result, serverTimeMs, companions: further } = await this.send(rpcRequest, signal);
    const parsed = request.parseResult(result, further);
    const head = request.toHead?.(parsed);
    if (head?.chainId !== undefined) await this.checkEvmChainId(head.chainId);
    if (head?.blockTimestamp !== undefined) this.checkBlockAge(head.blockTimestamp, serverTimeMs);
    if (head?.blockNumber !== undefined) await this.receiveBlock(head.blockNumber, bestBlock);
    return parsed;
  }

  /** Throws RpcNodeError if contracts see another chain id than before and the node serves another chain. */
  private async checkEvmChainId(evmChainId: bigint): Promise<void> {
    if (evmChainId === this.evmChainId) return;
    await this.checkChainId();
    this.evmChainId = evmChainId;
  }

  /** Throws RpcNodeError if the node lags behind `bestBlock`, the best block when the request was sent, or changed its chain. */
  private async receiveBlock(blockNumber: bigint, bestBlock: bigint | undefined): Promise<void> {
    const observed = { blockNumber, observedAt: performance.now() };
    const previous = this.lastBlock;
    this.lastBlock = observed;
    if (previous && !this.options.headTracker.isPlausibleAdvance(previous, observed))
      await this.checkChainId();
    this.checkBlockNumber(observed, bestBlock);
  }

  /** Shared by concurrent callers, so no caller's signal aborts it; the client's timeouts end it. */
  private checkChainId(): Promise<void> {
    this.pendingChainIdCheck ??= this.requestChainId().finally(() => {
      this.pendingChainIdCheck = undefined;
    });
    return this.pendingChainIdCheck;
  }

  private async requestChainId(): Promise<void> {
    const { result } = await this.send({ method: 'eth_chainId', params: '[]' });
    this.chainIdCheckedAt = performance.now();
    this.isChainVerified = result !== '0x' && BigInt(result) === BigInt(this.options.chainId);
    this.setServesChain(this.isChainVerified);
  }

  private send(request: JsonRpcRequest, signal?: AbortSignal): Promise<JsonRpcResult> {
    const { rpc, chainId, onCall } = this.options;
    const { method } = request;
    return this.health.track(() => rpc.request(this.url, request, signal), {
      isCall: method === 'eth_call',
      onOutcome: (outcome) => onCall?.({ chainId, method, outcome }),
    });
  }
}

/**
 * A node or a proxy may refuse `eth_getCode` and answer all calls. Callers choose whose code is read, so its refusals must not open the
 * circuit breaker of the node for everybody; a cooldown that the node demands holds as usual.
 */
function throwAsAlive(error: unknown): never {
  if (!(error instanceof RpcNodeError)) throw error;
  const { kind, message, details } = error;
  const isAnswered = details.unexplained !== undefined || details.httpStatus !== undefined;
  if (kind !== 'unavailable' || !isAnswered || details.retryAfterMs !== undefined) throw error;
  throw new RpcNodeError(kind, message, { alive: true });
}

/**
 * The address of Multicall3 on one node. While the node has no code there, requests inject it by state override; this
 * expires, because the node may have been out of sync, and the override adds four kilobytes to each request.
 */
class Multicall3Deployment {
  private missingUntil = -Infinity;

  constructor(
    /** Unset: the chain has no deployment. */
    private readonly address: EvmAddress | undefined,
    private readonly overrideMs: number,
  ) {}

  /** The address, or undefined where the request has to inject the code. `now` is from `performance.now()`. */
  getAddress(now: number): EvmAddress | undefined {
    return now < this.missingUntil ? undefined : this.address;
  }

  markMissing(now: number): void {
    this.missingUntil = now + this.overrideMs;
  }
}
