import { arbBlockNumberCall } from '../chains/arbitrum-chains.js';
import { type BlockTag, encodeEthCallParams, parseReturnData } from '../codec/eth-call.js';
import { gasSentinelCall, gasSentinelResult } from '../codec/gas-sentinel-call.js';
import { type Address } from '../codec/abi-encode.js';
import {
  type Multicall3Result,
  decodeAggregate3,
  encodeAggregate3,
  getBlockNumberData,
  getCurrentBlockTimestampData,
  multicall3Address,
} from '../codec/multicall3.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';
import { type RpcNodeRequest } from './rpc-node-request.js';
import { multicall3Target, type ContractRead } from '../codec/contract-read.js';

export type ReadCall = Pick<ContractRead<unknown>, 'to' | 'data'>;

export interface AggregateResult {
  /** One per read, in order; undefined where the nodes do not agree. */
  readonly results: readonly (Multicall3Result | undefined)[];
  readonly blockNumber?: bigint;
  /** The block's own time, seconds since 1970, where it was asked for. */
  readonly blockTimestamp?: number;
  /** Whether the gauge at the end of the batch still had its gas; where the chain has no gauge, false. */
  readonly gasSufficient: boolean;
}

/** How the batches of one chain find out how far it is. */
export interface HeadQueryOptions {
  /** Whether the chain's own blocks are counted by ArbSys (arbitrum-chains.ts). */
  readonly isArbitrum: boolean;
  /** Whether the time of the newest block is asked for too. */
  readonly includeTimestamp: boolean;
}

export interface AggregateRequestOptions {
  readonly block?: BlockTag;
  readonly shortTimeout?: boolean;
}

/** Where a call goes on a node that has Multicall3 there, or is lent it. */
export function resolveTarget(multicall3: Address | undefined, to: ReadCall['to']): Address {
  return to === multicall3Target ? (multicall3 ?? multicall3Address) : to;
}

/** Many reads through one aggregate3; without reads it asks how far the node is. */
export function createAggregateRequest(
  reads: readonly ReadCall[],
  form: HeadQueryOptions,
  { block = 'latest', shortTimeout }: AggregateRequestOptions = {},
): RpcNodeRequest<AggregateResult> {
  const asked: ReadCall[] = [...reads];
  if (form.includeTimestamp) asked.push({ to: multicall3Target, data: getCurrentBlockTimestampData });
  asked.push(
    form.isArbitrum ? arbBlockNumberCall : { to: multicall3Target, data: getBlockNumberData },
    gasSentinelCall,
  );
  return {
    method: 'eth_call',
    params: (multicall3) => {
      const calls = asked.map(({ to, data }) => ({ to: resolveTarget(multicall3, to), data }));
      const to = resolveTarget(multicall3, multicall3Target);
      return encodeEthCallParams(to, encodeAggregate3(calls), block, multicall3 === undefined);
    },
    ...(shortTimeout ? { shortTimeout } : {}),
    parseResult: (result) => parseAggregateResult(result, asked.length, form),
    toHead: ({ blockNumber, blockTimestamp }) =>
      block === 'latest' ? { blockNumber: blockNumber, blockTimestamp } : { blockTimestamp },
  };
}

function parseAggregateResult(result: string, count: number, form: HeadQueryOptions): AggregateResult {
  if (result === '0x')
    throw new RpcNodeError('no_multicall', 'the node can not answer batches on this chain');
  const answers = decodeAggregate3(parseReturnData(result), count);
  const [block, gauge] = answers.splice(-2);
  const time = form.includeTimestamp ? decodeWord(answers.pop()) : undefined;
  const blockNumber = decodeWord(block);
  return {
    results: answers,
    gasSufficient: gauge?.success === true && gauge.data === gasSentinelResult,
    ...(blockNumber === undefined ? {} : { blockNumber }),
    ...(time === undefined ? {} : { blockTimestamp: Number(time) }),
  };
}

function decodeWord(answer: Multicall3Result | undefined): bigint | undefined {
  return answer?.success && answer.data.length === 64 ? BigInt(`0x${answer.data}`) : undefined;
}
