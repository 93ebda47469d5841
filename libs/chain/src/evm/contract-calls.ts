import { type ChainNodes } from './chain-nodes.js';
import { type BlockTag, ethCallParams, wholeBytes } from './eth-call.js';
import { gasGauge, gasGaugeAnswer } from './gas-gauge.js';
import { type Address } from './hex.js';
import {
  type BatchAnswer,
  decodeAggregate3,
  encodeAggregate3,
  getBlockNumberData,
  multicall3Address,
} from './multicall3.js';
import { NodeFailure } from './node-failure.js';
import { multicall3Target, type Read } from './read.js';

export type ReadCall = Pick<Read<unknown>, 'to' | 'data'>;

export interface Aggregate {
  /** One per read, in order; undefined where the nodes do not agree. */
  readonly answers: readonly (BatchAnswer | undefined)[];
  readonly blockNumber?: bigint;
  /** Whether the gauge at the end of the batch still had its gas; where the chain has no gauge, false. */
  readonly gasLasted: boolean;
}

/** Far beyond what any read decodes; a contract that answers more shall not cost us the reading of it. */
const maxResultBytes = 65_536;

/** The forms of eth_call on one chain, however many nodes have to be asked for an answer. All reject with NodeFailure. */
export interface ChainCalls {
  /** Many reads through Multicall3. */
  readonly aggregate: (reads: readonly ReadCall[], signal: AbortSignal) => Promise<Aggregate>;
  /** One read straight at its contract: return data, hex without 0x. */
  readonly direct: (read: ReadCall, signal: AbortSignal) => Promise<string>;
  /** Whether a failed gauge means that gas ran out, and not that this chain has no such precompile. */
  readonly hasGasGauge: (signal: AbortSignal) => Promise<boolean>;
}

/** Believes the first node that answers. */
export class ContractCalls implements ChainCalls {
  private bringMulticall3: boolean;
  private gaugeExists?: boolean;

  constructor(
    private readonly nodes: ChainNodes,
    private readonly deployed: Address | undefined,
  ) {
    this.bringMulticall3 = deployed === undefined;
  }

  async aggregate(
    reads: readonly ReadCall[],
    signal: AbortSignal,
    block: BlockTag = 'latest',
  ): Promise<Aggregate> {
    try {
      return await this.tryAggregate(reads, signal, block);
    } catch (error) {
      if (!(error instanceof NodeFailure) || error.kind !== 'no_multicall' || this.bringMulticall3)
        throw error;
      this.bringMulticall3 = true;
      return this.tryAggregate(reads, signal, block);
    }
  }

  async direct(read: ReadCall, signal: AbortSignal, block: BlockTag = 'latest'): Promise<string> {
    const params = this.params(this.target(read), read.data, block);
    return this.nodes.ask({ method: 'eth_call', params, interpret: wholeBytes, maxResultBytes }, signal);
  }

  async hasGasGauge(signal: AbortSignal): Promise<boolean> {
    this.gaugeExists ??= await this.probeGasGauge(signal);
    return this.gaugeExists;
  }

  /** eth_blockNumber: the number that eth_call takes. Rejects with NodeFailure. */
  async newestBlock(signal: AbortSignal): Promise<bigint> {
    return this.nodes.ask({ method: 'eth_blockNumber', params: '[]', interpret: quantity }, signal);
  }

  private async probeGasGauge(signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.direct(gasGauge, signal)) === gasGaugeAnswer;
    } catch (error) {
      if (error instanceof NodeFailure && error.kind !== 'unavailable') return false;
      throw error;
    }
  }

  private async tryAggregate(
    reads: readonly ReadCall[],
    signal: AbortSignal,
    block: BlockTag,
  ): Promise<Aggregate> {
    const multicall3 = this.target({ to: multicall3Target });
    const calls = reads.map((read) => ({ to: this.target(read), data: read.data }));
    calls.push({ to: multicall3, data: getBlockNumberData }, gasGauge);
    const params = this.params(multicall3, encodeAggregate3(calls), block);
    const interpret = (result: string): Aggregate => this.aggregateOf(result, calls.length);
    const blockOf = block === 'latest' ? (answer: Aggregate) => answer.blockNumber : undefined;
    return this.nodes.ask({ method: 'eth_call', params, interpret, blockOf }, signal);
  }

  private aggregateOf(result: string, count: number): Aggregate {
    if (result === '0x')
      throw new NodeFailure('no_multicall', 'the node can not answer batches on this chain');
    const answers = decodeAggregate3(wholeBytes(result), count);
    const [block, gauge] = answers.splice(-2);
    const gasLasted = gauge?.success === true && gauge.data === gasGaugeAnswer;
    if (gasLasted) this.gaugeExists = true;
    return {
      answers,
      gasLasted,
      ...(block?.success && block.data.length === 64 ? { blockNumber: BigInt(`0x${block.data}`) } : {}),
    };
  }

  private target({ to }: Pick<ReadCall, 'to'>): Address {
    if (to !== multicall3Target) return to;
    return (this.bringMulticall3 ? undefined : this.deployed) ?? multicall3Address;
  }

  private params(to: Address, data: string, block: BlockTag): string {
    return ethCallParams(to, data, block, this.bringMulticall3);
  }
}

function quantity(result: string): bigint {
  if (result === '0x' || result.length > 18) throw new NodeFailure('unavailable', 'the node named no block');
  return BigInt(result);
}
