import { arbBlockNumber } from './arbitrum-chains.js';
import { type BlockTag, ethCallParams, wholeBytes } from './eth-call.js';
import { gasGauge, gasGaugeAnswer } from './gas-gauge.js';
import { type Address } from './hex.js';
import {
  type BatchAnswer,
  decodeAggregate3,
  encodeAggregate3,
  getBlockNumberData,
  getTimestampData,
  multicall3Address,
} from './multicall3.js';
import { NodeFailure } from './node-failure.js';
import { type NodeQuestion } from './node-question.js';
import { multicall3Target, type Read } from './read.js';

export type ReadCall = Pick<Read<unknown>, 'to' | 'data'>;

export interface Aggregate {
  /** One per read, in order; undefined where the nodes do not agree. */
  readonly answers: readonly (BatchAnswer | undefined)[];
  readonly blockNumber?: bigint;
  /** The block's own time, seconds since 1970, where it was asked for. */
  readonly minedAt?: number;
  /** Whether the gauge at the end of the batch still had its gas; where the chain has no gauge, false. */
  readonly gasLasted: boolean;
}

/** How the batches of one chain find out how far it is. */
export interface BatchForm {
  /** Whether the chain's own blocks are counted by ArbSys (arbitrum-chains.ts). */
  readonly arbitrum: boolean;
  /** Whether the time of the newest block is asked for too. */
  readonly asksTime: boolean;
}

export interface AggregateOptions {
  readonly block?: BlockTag;
  readonly brisk?: boolean;
}

/** Where a call goes on a node that has Multicall3 there, or is lent it. */
export function targetOn(multicall3: Address | undefined, to: ReadCall['to']): Address {
  return to === multicall3Target ? (multicall3 ?? multicall3Address) : to;
}

/** Many reads through one aggregate3; without reads it asks how far the node is. */
export function aggregateQuestion(
  reads: readonly ReadCall[],
  form: BatchForm,
  { block = 'latest', brisk }: AggregateOptions = {},
): NodeQuestion<Aggregate> {
  const asked: ReadCall[] = [...reads];
  if (form.asksTime) asked.push({ to: multicall3Target, data: getTimestampData });
  asked.push(form.arbitrum ? arbBlockNumber : { to: multicall3Target, data: getBlockNumberData }, gasGauge);
  return {
    method: 'eth_call',
    params: (multicall3) => {
      const calls = asked.map(({ to, data }) => ({ to: targetOn(multicall3, to), data }));
      const to = targetOn(multicall3, multicall3Target);
      return ethCallParams(to, encodeAggregate3(calls), block, multicall3 === undefined);
    },
    ...(brisk ? { brisk } : {}),
    interpret: (result) => aggregateOf(result, asked.length, form),
    headOf: ({ blockNumber, minedAt }) =>
      block === 'latest' ? { block: blockNumber, minedAt } : { minedAt },
  };
}

function aggregateOf(result: string, count: number, form: BatchForm): Aggregate {
  if (result === '0x') throw new NodeFailure('no_multicall', 'the node can not answer batches on this chain');
  const answers = decodeAggregate3(wholeBytes(result), count);
  const [block, gauge] = answers.splice(-2);
  const time = form.asksTime ? wordOf(answers.pop()) : undefined;
  const blockNumber = wordOf(block);
  return {
    answers,
    gasLasted: gauge?.success === true && gauge.data === gasGaugeAnswer,
    ...(blockNumber === undefined ? {} : { blockNumber }),
    ...(time === undefined ? {} : { minedAt: Number(time) }),
  };
}

function wordOf(answer: BatchAnswer | undefined): bigint | undefined {
  return answer?.success && answer.data.length === 64 ? BigInt(`0x${answer.data}`) : undefined;
}
