import type { EvmAddress } from '@app/dto';
import { arbBlockNumberCall } from '../../evm/chains/arbitrum-chains.js';
import {
  type BlockTag,
  encodeEthCallParams,
  parseReturnData,
  toBlockTag,
  encodeGetCodeParams,
  GET_CODE_METHOD,
  toContractFlag,
} from '../../reads/evm/call-params.js';
import {
  gasSentinelCall,
  gasSentinelResult,
  type Multicall3Result,
  decodeAggregate3,
  encodeAggregate3,
  getBlockNumberData,
  getChainIdData,
  getCurrentBlockTimestampData,
  multicall3Address,
} from '../../reads/evm/multicall3.js';
import { createMissingBlockError, RpcNodeError } from '../../node/rpc-node-error.js';
import type { RpcNodeRequest } from '../../node/evm/rpc-node-client.js';
import {
  accountCodeTarget,
  isAccountCodeRead,
  multicall3Target,
  type ReadCall,
} from '../../reads/evm/contract-read.js';

export interface AggregateResult {
  /** A result for each read, in order; undefined where the nodes disagree, and for the code of an account without a response. */
  readonly results: readonly (Multicall3Result | undefined)[];
  readonly blockNumber?: bigint;
  /** The chain id as contracts see it. */
  readonly chainId?: bigint;
  /** Block timestamp, seconds since 1970, where it was requested. */
  readonly blockTimestamp?: number;
  /** Whether the gas sentinel at the end of the batch succeeded; always false where the chain lacks the precompile. */
  readonly gasSufficient: boolean;
}

/** The queries about the newest block that each batch of a chain carries. */
export interface HeadQueryOptions {
  /** Whether ArbSys counts the chain's own blocks (arbitrum-chains.ts). */
  readonly isArbitrum: boolean;
  /** Whether the timestamp of the newest block is requested too. */
  readonly includeTimestamp: boolean;
}

interface AggregateRequestOptions {
  readonly block?: BlockTag;
  /** The block that earlier reads were made at, instead of `block`. A result of another block does not count. */
  readonly pinnedBlock?: bigint;
  readonly shortTimeout?: boolean;
  readonly maxResultBytes?: number;
  readonly isIsolated?: boolean;
}

/** The address that a call goes to, on a node that has Multicall3 or gets it by state override. */
export function resolveTarget(multicall3: EvmAddress | undefined, to: ReadCall['to']): EvmAddress {
  if (to === accountCodeTarget) throw new TypeError('The code of an account is not read by a call');
  return to === multicall3Target ? (multicall3 ?? multicall3Address) : to;
}

/**
 * Creates a request with many reads in one aggregate3 call; without reads it queries only the newest block. Codes of
 * accounts are further requests of the same JSON-RPC batch: Multicall3 has no function for them.
 */
export function createAggregateRequest(
  reads: readonly ReadCall[],
  headQuery: HeadQueryOptions,
  { pinnedBlock, shortTimeout, maxResultBytes, isIsolated, ...options }: AggregateRequestOptions = {},
): RpcNodeRequest<AggregateResult> {
  const block = pinnedBlock === undefined ? (options.block ?? 'latest') : toBlockTag(pinnedBlock);
  // The age of a pinned block says nothing about the node.
  const query = pinnedBlock === undefined ? headQuery : { ...headQuery, includeTimestamp: false };
  const codeReads = reads.filter(isAccountCodeRead);
  const readCalls: ReadCall[] =
    codeReads.length > 0 ? reads.filter((read) => !isAccountCodeRead(read)) : [...reads];
  if (query.includeTimestamp) readCalls.push({ to: multicall3Target, data: getCurrentBlockTimestampData });
  readCalls.push(
    { to: multicall3Target, data: getChainIdData },
    query.isArbitrum ? arbBlockNumberCall : { to: multicall3Target, data: getBlockNumberData },
    gasSentinelCall,
  );
  return {
    method: 'eth_call',
    params: (multicall3) => {
      const calls = readCalls.map(({ to, data }) => ({ to: resolveTarget(multicall3, to), data }));
      const to = resolveTarget(multicall3, multicall3Target);
      return encodeEthCallParams(to, encodeAggregate3(calls), block, multicall3 === undefined);
    },
    ...(shortTimeout ? { shortTimeout } : {}),
    ...(isIsolated ? { isIsolated } : {}),
    ...(maxResultBytes === undefined ? {} : { maxResultBytes }),
    ...(pinnedBlock === undefined ? {} : { pinnedBlock }),
    ...(codeReads.length > 0 && {
      companions: codeReads.map(({ data }) => ({
        method: GET_CODE_METHOD,
        params: encodeGetCodeParams(data, block),
      })),
    }),
    parseResult: (result, codes = []) => {
      const aggregate = parseAggregateResult(result, readCalls.length, query);
      const { blockNumber = pinnedBlock } = aggregate;
      if (pinnedBlock !== undefined && blockNumber !== pinnedBlock) throw createMissingBlockError();
      return codeReads.length > 0
        ? { ...aggregate, results: mergeResults(reads, aggregate.results, codes) }
        : aggregate;
    },
    toHead: ({ blockNumber, blockTimestamp, chainId }) =>
      block === 'latest' ? { blockNumber, blockTimestamp, chainId } : { blockTimestamp, chainId },
  };
}

/** The results of all reads, in their order, from those of the calls and those of the codes. */
function mergeResults(
  reads: readonly ReadCall[],
  callResults: AggregateResult['results'],
  codes: readonly (string | undefined)[],
): AggregateResult['results'] {
  const [calls, flags] = [callResults.values(), codes.values()];
  return reads.map((read) => {
    if (!isAccountCodeRead(read)) return calls.next().value;
    const code = flags.next().value;
    const data = code === undefined ? undefined : toContractFlag(code);
    return data === undefined ? undefined : { success: true, data };
  });
}

function parseAggregateResult(result: string, count: number, headQuery: HeadQueryOptions): AggregateResult {
  if (result === '0x') throw new RpcNodeError('no_multicall', 'the node has no Multicall3 on this chain');
  const results = decodeAggregate3(parseReturnData(result), count);
  const [evmChainId, block, gasSentinel] = results.splice(-3);
  const timestamp = headQuery.includeTimestamp ? decodeWord(results.pop()) : undefined;
  const blockNumber = decodeWord(block);
  const chainId = decodeWord(evmChainId);
  return {
    results,
    gasSufficient: gasSentinel?.success === true && gasSentinel.data === gasSentinelResult,
    ...(blockNumber === undefined ? {} : { blockNumber }),
    ...(chainId === undefined ? {} : { chainId }),
    ...(timestamp === undefined ? {} : { blockTimestamp: Number(timestamp) }),
  };
}

function decodeWord(result: Multicall3Result | undefined): bigint | undefined {
  return result?.success && result.data.length === 64 ? BigInt(`0x${result.data}`) : undefined;
}
