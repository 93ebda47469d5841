import { hasFinishedWithin } from '@app/common';
import {
  type AggregateResult,
  createAggregateRequest,
  type HeadQueryOptions,
  resolveTarget,
} from './aggregate-request.js';
import {
  type BlockTag,
  encodeInitCodeCallParams,
  encodeEthCallParams,
  parseReturnData,
  toBlockTag,
  encodeGetCodeParams,
  GET_CODE_METHOD,
  toContractFlag,
} from '../../reads/evm/call-params.js';
import { gasSentinelCall, gasSentinelResult } from '../../reads/evm/multicall3.js';
import { isContractError, RpcNodeError } from '../../node/rpc-node-error.js';
import {
  isAccountCodeRead,
  MAX_LARGE_TEXT_BYTES,
  multicall3Target,
  type ReadCall,
} from '../../reads/evm/contract-read.js';
import type { ChainHeadTracker } from '../../node/chain-head-tracker.js';
import { FailoverClient } from '../failover-client.js';
import type { RpcNodeClient, RpcNodeRequest } from '../../node/evm/rpc-node-client.js';

/** A result is not delayed longer to compare its block with that of a second node. */
const MAX_CONFIRMATION_WAIT_MS = 1_000;
/** Far more than any read decodes; a longer result is not downloaded. */
const MAX_RESULT_BYTES = 65_536;
/** The text of a large read, and what stands around it. */
const MAX_LARGE_RESULT_BYTES = MAX_LARGE_TEXT_BYTES + 1_024;

export interface EthCallOptions {
  /** A quarter of the usual timeout. */
  readonly shortTimeout?: boolean;
  /** The block that earlier reads were made at. Unset: the newest one. */
  readonly pinnedBlock?: bigint;
  /** The longest result of an aggregate, in bytes: a longer one is `flooded`. Unset: what fits a response. */
  readonly maxResultBytes?: number;
  /** Whether no other call waits for the socket. */
  readonly isIsolated?: boolean;
}

/** The kinds of eth_call on one chain, independent of how many nodes it takes. All methods reject with RpcNodeError. */
export interface EthCallClient {
  /** Executes many reads through Multicall3. */
  readonly aggregate: (
    reads: readonly ReadCall[],
    signal: AbortSignal,
    options?: EthCallOptions,
  ) => Promise<AggregateResult>;
  /** Executes a read without Multicall3: return data, hex without 0x. */
  readonly call: (read: ReadCall, signal: AbortSignal, options?: EthCallOptions) => Promise<string>;
  /** Executes init code without deploying it; code and return data are hex without 0x. */
  readonly runInitCode: (initCode: string, signal: AbortSignal, options?: EthCallOptions) => Promise<string>;
  /** Whether the chain has the sentinel's precompile, so that a failed sentinel means that gas ran out. */
  readonly hasGasSentinel: (signal: AbortSignal) => Promise<boolean>;
}

/** The block of a call: the newest, or one that the node is known to have. */
interface BlockCallOptions extends EthCallOptions {
  readonly block?: BlockTag;
}

/**
 * Uses the first result of any node of a chain. While no block of the chain is known, it is compared with the newest block of
 * a second node.
 */
export class FailoverEthCallClient implements EthCallClient {
  private readonly failover: FailoverClient<RpcNodeClient>;
  private gasSentinelExists?: boolean;
  private pendingConfirmation: Promise<unknown> | undefined;

  constructor(
    private readonly nodes: readonly RpcNodeClient[],
    chainName: string,
    private readonly headTracker: ChainHeadTracker,
    private readonly headQuery: HeadQueryOptions,
  ) {
    this.failover = new FailoverClient(nodes, chainName);
  }

  async aggregate(
    reads: readonly ReadCall[],
    signal: AbortSignal,
    options: BlockCallOptions = {},
  ): Promise<AggregateResult> {
    const request = createAggregateRequest(reads, this.headQuery, options);
    const aggregate = await this.request(request, signal);
    if (aggregate.gasSufficient) this.gasSentinelExists = true;
    return aggregate;
  }

  async call(
    read: ReadCall,
    signal: AbortSignal,
    { pinnedBlock, shortTimeout, isIsolated, ...options }: BlockCallOptions = {},
  ): Promise<string> {
    const { to, data, isLarge } = read;
    const block = pinnedBlock === undefined ? (options.block ?? 'latest') : toBlockTag(pinnedBlock);
    const limits = {
      ...(shortTimeout ? { shortTimeout } : {}),
      ...(isIsolated ? { isIsolated } : {}),
      ...(pinnedBlock === undefined ? {} : { pinnedBlock }),
    };
    if (isAccountCodeRead(read)) return this.readCode(encodeGetCodeParams(data, block), signal, limits);
    return this.request(
      {
        method: 'eth_call',
        params: (multicall3) => {
          const target = resolveTarget(multicall3, to);
          return encodeEthCallParams(target, data, block, multicall3 === undefined);
        },
        parseResult: to === multicall3Target ? parseMulticall3Result : parseReturnData,
        maxResultBytes: isLarge ? MAX_LARGE_RESULT_BYTES : MAX_RESULT_BYTES,
        ...limits,
      },
      signal,
    );
  }

  async runInitCode(
    initCode: string,
    signal: AbortSignal,
    { block = 'latest', shortTimeout, isIsolated }: BlockCallOptions = {},
  ): Promise<string> {
    return this.request(
      {
        method: 'eth_call',
        params: () => encodeInitCodeCallParams(initCode, block),
        parseResult: parseInitCodeResult,
        maxResultBytes: MAX_RESULT_BYTES,
        ...(shortTimeout ? { shortTimeout } : {}),
        ...(isIsolated ? { isIsolated } : {}),
      },
      signal,
    );
  }

  async hasGasSentinel(signal: AbortSignal): Promise<boolean> {
    this.gasSentinelExists ??= await this.queryGasSentinel(signal);
    return this.gasSentinelExists ?? false;
  }

  /** eth_blockNumber, which on Arbitrum too counts the blocks that eth_call takes. Rejects with RpcNodeError. */
  async getBlockNumber(signal: AbortSignal): Promise<bigint> {
    return this.request(
      { method: 'eth_blockNumber', params: () => '[]', parseResult: parseQuantity },
      signal,
    );
  }

  /** Resolves with the first result that counts. Rejects with RpcNodeError. */
  private request<T>(request: RpcNodeRequest<T>, signal: AbortSignal): Promise<T> {
    const confirmation = this.startConfirmation(request);
    return this.failover.request(
      (node) =>
        confirmation ? requestConfirmed(node, request, signal, confirmation) : node.request(request, signal),
      signal,
    );
  }

  /**
   * Requests the newest blocks of the nodes beside the request, because the first node may be far behind. Undefined if a block
   * was reported lately or its age shows it, or without a second usable node: then the first result counts.
   */
  private startConfirmation<T>({ toHead }: RpcNodeRequest<T>): Promise<unknown> | undefined {
    const now = performance.now();
    if (!this.headTracker.needsSecondNode(now) || (toHead && this.headTracker.canDetectStuckNode))
      return undefined;
    const usable = this.nodes.filter((node) => node.getState(now) === 'up' && !node.isSlow(now));
    if (usable.length < 2) return undefined;
    this.pendingConfirmation ??= hasFinishedWithin(
      MAX_CONFIRMATION_WAIT_MS,
      Promise.all(usable.map((node) => node.probeBlock())),
    ).finally(() => {
      this.pendingConfirmation = undefined;
    });
    return this.pendingConfirmation;
  }

  /** No contract runs, so an error that says so is the node's: the code stays unknown. */
  private async readCode(params: string, signal: AbortSignal, limits: EthCallOptions): Promise<string> {
    const request = { method: GET_CODE_METHOD, params: () => params, parseResult: parseCode, ...limits };
    return this.request(request, signal).catch((error: unknown) => {
      if (error instanceof RpcNodeError && isContractError(error)) throw createNoCodeError();
      throw error;
    });
  }

  /** Returns undefined when the node was too slow to tell; the next call asks again. */
  private async queryGasSentinel(signal: AbortSignal): Promise<boolean | undefined> {
    try {
      return (await this.call(gasSentinelCall, signal)) === gasSentinelResult;
    } catch (error) {
      if (!(error instanceof RpcNodeError)) throw error;
      if (error.kind === 'too_heavy') return undefined;
      if (error.kind !== 'unavailable' && error.kind !== 'rejected') return false;
      throw error;
    }
  }
}

/** An empty result means that the node has no code there: Multicall3 itself always returns data. */
function parseMulticall3Result(result: string): string {
  if (result === '0x') throw new RpcNodeError('no_multicall', 'the node has no Multicall3');
  return parseReturnData(result);
}

/** An empty result means that the node did not execute the code: signatureValidatorCode always returns data. */
function parseInitCodeResult(result: string): string {
  if (result === '0x') throw new RpcNodeError('unavailable', 'the node did not execute the init code');
  return parseReturnData(result);
}

function parseCode(result: string): string {
  const flag = toContractFlag(result);
  if (flag === undefined) throw createNoCodeError();
  return flag;
}

const createNoCodeError = (): RpcNodeError =>
  new RpcNodeError('unavailable', 'the node did not answer with the code of the account', { alive: true });

function parseQuantity(result: string): bigint {
  if (result === '0x' || result.length > 18)
    throw new RpcNodeError('unavailable', 'the node returned no block number');
  return BigInt(result);
}

/** Discards what the node answers, errors of contracts included, if it turns out to lag. */
async function requestConfirmed<T>(
  node: RpcNodeClient,
  request: RpcNodeRequest<T>,
  signal: AbortSignal,
  confirmation: Promise<unknown>,
): Promise<T> {
  const response = node.request(request, signal);
  await Promise.allSettled([response, confirmation]);
  node.checkLag(performance.now());
  return response;
}
