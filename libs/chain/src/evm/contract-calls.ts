import { type Aggregate, aggregateQuestion, type BatchForm, type ReadCall, targetOn } from './aggregate.js';
import { type ChainNodes } from './chain-nodes.js';
import { type BlockTag, constructionParams, ethCallParams, wholeBytes } from './eth-call.js';
import { gasGauge, gasGaugeAnswer } from './gas-gauge.js';
import { NodeFailure } from './node-failure.js';
import { multicall3Target } from './read.js';

/** Far beyond what any read decodes; a contract that answers more shall not cost us the reading of it. */
const maxResultBytes = 65_536;

/** How much time a question may take: `brisk` is a quarter of the usual. */
export interface CallOptions {
  readonly brisk?: boolean;
}

/** The forms of eth_call on one chain, however many nodes have to be asked for an answer. All reject with NodeFailure. */
export interface ChainCalls {
  /** Many reads through Multicall3. */
  readonly aggregate: (
    reads: readonly ReadCall[],
    signal: AbortSignal,
    options?: CallOptions,
  ) => Promise<Aggregate>;
  /** One read straight at its contract: return data, hex without 0x. */
  readonly direct: (read: ReadCall, signal: AbortSignal, options?: CallOptions) => Promise<string>;
  /** Runs init code, hex without 0x, and forgets what it makes: what it returns, hex without 0x. */
  readonly construct: (initCode: string, signal: AbortSignal, options?: CallOptions) => Promise<string>;
  /** Whether a failed gauge means that gas ran out, and not that this chain has no such precompile. */
  readonly hasGasGauge: (signal: AbortSignal) => Promise<boolean>;
}

/** At the newest block, or at one that the node is known to have. */
interface BlockOptions extends CallOptions {
  readonly block?: BlockTag;
}

/** Believes the first node that answers. */
export class ContractCalls implements ChainCalls {
  private gaugeExists?: boolean;

  constructor(
    private readonly nodes: ChainNodes,
    private readonly form: BatchForm,
  ) {}

  async aggregate(
    reads: readonly ReadCall[],
    signal: AbortSignal,
    options: BlockOptions = {},
  ): Promise<Aggregate> {
    const aggregate = await this.nodes.ask(aggregateQuestion(reads, this.form, options), signal);
    if (aggregate.gasLasted) this.gaugeExists = true;
    return aggregate;
  }

  async direct(
    { to, data }: ReadCall,
    signal: AbortSignal,
    { block = 'latest', brisk }: BlockOptions = {},
  ): Promise<string> {
    return this.nodes.ask(
      {
        method: 'eth_call',
        params: (multicall3) => {
          const target = targetOn(multicall3, to);
          return ethCallParams(target, data, block, multicall3 === undefined);
        },
        interpret: to === multicall3Target ? answerOfMulticall3 : wholeBytes,
        maxResultBytes,
        ...(brisk ? { brisk } : {}),
      },
      signal,
    );
  }

  async construct(
    initCode: string,
    signal: AbortSignal,
    { block = 'latest', brisk }: BlockOptions = {},
  ): Promise<string> {
    return this.nodes.ask(
      {
        method: 'eth_call',
        params: () => constructionParams(initCode, block),
        interpret: answerOfInitCode,
        maxResultBytes,
        ...(brisk ? { brisk } : {}),
      },
      signal,
    );
  }

  async hasGasGauge(signal: AbortSignal): Promise<boolean> {
    this.gaugeExists ??= await this.probeGasGauge(signal);
    return this.gaugeExists;
  }

  /** eth_blockNumber: the number that eth_call takes. Rejects with NodeFailure. */
  async newestBlock(signal: AbortSignal): Promise<bigint> {
    return this.nodes.ask({ method: 'eth_blockNumber', params: () => '[]', interpret: quantity }, signal);
  }

  private async probeGasGauge(signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.direct(gasGauge, signal)) === gasGaugeAnswer;
    } catch (error) {
      if (error instanceof NodeFailure && error.kind !== 'unavailable') return false;
      throw error;
    }
  }
}

/** Nothing is what a node without this contract answers, and not what the contract says. */
function answerOfMulticall3(result: string): string {
  if (result === '0x') throw new NodeFailure('no_multicall', 'the node has no Multicall3');
  return wholeBytes(result);
}

/** Ours always return something: nothing is what a node answers that did not run them. */
function answerOfInitCode(result: string): string {
  if (result === '0x') throw new NodeFailure('unavailable', 'the node ran no init code');
  return wholeBytes(result);
}

function quantity(result: string): bigint {
  if (result === '0x' || result.length > 18) throw new NodeFailure('unavailable', 'the node named no block');
  return BigInt(result);
}
