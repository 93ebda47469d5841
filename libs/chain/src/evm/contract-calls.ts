import { type ChainNodes } from './chain-nodes.js';
import { gasGauge, gasGaugeAnswer } from './gas-gauge.js';
import { type Address } from './hex.js';
import { multicall3Code } from './multicall3-code.js';
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
  readonly answers: readonly BatchAnswer[];
  readonly blockNumber?: bigint;
  /** Whether the gauge at the end of the batch still had its gas; where the chain has no gauge, false. */
  readonly gasLasted: boolean;
}

/** The two forms of eth_call on one chain: many reads through Multicall3, or one read straight at its contract. */
export class ContractCalls {
  private bringMulticall3: boolean;
  private gaugeExists?: boolean;

  constructor(
    private readonly nodes: ChainNodes,
    private readonly deployed: Address | undefined,
  ) {
    this.bringMulticall3 = deployed === undefined;
  }

  /** Rejects with NodeFailure. */
  async aggregate(reads: readonly ReadCall[], signal: AbortSignal): Promise<Aggregate> {
    try {
      return await this.tryAggregate(reads, signal);
    } catch (error) {
      if (!(error instanceof NodeFailure) || error.kind !== 'no_multicall' || this.bringMulticall3)
        throw error;
      this.bringMulticall3 = true;
      return this.tryAggregate(reads, signal);
    }
  }

  /** Return data, hex without 0x. Rejects with NodeFailure. */
  async direct(read: ReadCall, signal: AbortSignal): Promise<string> {
    return this.nodes.ask('eth_call', this.params(this.target(read), read.data), signal, wholeBytes);
  }

  /** Whether a failed gauge means that gas ran out, and not that this chain has no such precompile. Rejects with NodeFailure. */
  async hasGasGauge(signal: AbortSignal): Promise<boolean> {
    this.gaugeExists ??= await this.probeGasGauge(signal);
    return this.gaugeExists;
  }

  private async probeGasGauge(signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.direct(gasGauge, signal)) === gasGaugeAnswer;
    } catch (error) {
      if (error instanceof NodeFailure && error.kind !== 'unavailable') return false;
      throw error;
    }
  }

  private async tryAggregate(reads: readonly ReadCall[], signal: AbortSignal): Promise<Aggregate> {
    const multicall3 = this.target({ to: multicall3Target });
    const calls = reads.map((read) => ({ to: this.target(read), data: read.data }));
    calls.push({ to: multicall3, data: getBlockNumberData }, gasGauge);
    const params = this.params(multicall3, encodeAggregate3(calls));
    return this.nodes.ask('eth_call', params, signal, (result) => {
      if (result === '0x')
        throw new NodeFailure('no_multicall', 'the node can not answer batches on this chain');
      const answers = decodeAggregate3(wholeBytes(result), calls.length);
      const [block, gauge] = answers.splice(-2);
      const gasLasted = gauge?.success === true && gauge.data === gasGaugeAnswer;
      if (gasLasted) this.gaugeExists = true;
      return {
        answers,
        gasLasted,
        ...(block?.success && block.data.length === 64 ? { blockNumber: BigInt(`0x${block.data}`) } : {}),
      };
    });
  }

  private target({ to }: Pick<ReadCall, 'to'>): Address {
    if (to !== multicall3Target) return to;
    return (this.bringMulticall3 ? undefined : this.deployed) ?? multicall3Address;
  }

  private params(to: Address, data: string): string {
    const call = `{"to":"${to}","data":"0x${data}"}`;
    return to === multicall3Address && this.bringMulticall3
      ? `[${call},"latest",${override}]`
      : `[${call},"latest"]`;
  }
}

const override = JSON.stringify({ [multicall3Address]: { code: `0x${multicall3Code}` } });

function wholeBytes(result: string): string {
  if (result.length % 2 !== 0) throw new NodeFailure('unavailable', 'the node answered half a byte');
  return result.slice(2);
}
