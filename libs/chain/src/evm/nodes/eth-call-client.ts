import {
  type AggregateResult,
  createAggregateRequest,
  type HeadQueryOptions,
  type ReadCall,
  resolveTarget,
} from './aggregate-request.js';
import { type FailoverClient } from './failover-client.js';
import {
  type BlockTag,
  encodeInitCodeCallParams,
  encodeEthCallParams,
  parseReturnData,
} from '../codec/eth-call.js';
import { gasSentinelCall, gasSentinelResult } from '../codec/gas-sentinel-call.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';
import { multicall3Target } from '../codec/contract-read.js';

/** Far beyond what any read decodes; a contract that answers more shall not cost us the reading of it. */
const MAX_RESULT_BYTES = 65_536;

/** How much time a question may take: `brisk` is a quarter of the usual. */
export interface EthCallOptions {
  readonly shortTimeout?: boolean;
}

/** The forms of eth_call on one chain, however many nodes have to be asked for an answer. All reject with NodeFailure. */
export interface EthCallClient {
  /** Many reads through Multicall3. */
  readonly aggregate: (
    reads: readonly ReadCall[],
    signal: AbortSignal,
    options?: EthCallOptions,
  ) => Promise<AggregateResult>;
  /** One read straight at its contract: return data, hex without 0x. */
  readonly call: (read: ReadCall, signal: AbortSignal, options?: EthCallOptions) => Promise<string>;
  /** Runs init code, hex without 0x, and forgets what it makes: what it returns, hex without 0x. */
  readonly runInitCode: (initCode: string, signal: AbortSignal, options?: EthCallOptions) => Promise<string>;
  /** Whether a failed gauge means that gas ran out, and not that this chain has no such precompile. */
  readonly hasGasSentinel: (signal: AbortSignal) => Promise<boolean>;
}

/** At the newest block, or at one that the node is known to have. */
interface BlockCallOptions extends EthCallOptions {
  readonly block?: BlockTag;
}

/** Believes the first node that answers. */
export class FailoverEthCallClient implements EthCallClient {
  private gaugeExists?: boolean;

  constructor(
    private readonly nodes: FailoverClient,
    private readonly form: HeadQueryOptions,
  ) {}

  async aggregate(
    reads: readonly ReadCall[],
    signal: AbortSignal,
    options: BlockCallOptions = {},
  ): Promise<AggregateResult> {
    const aggregate = await this.nodes.request(createAggregateRequest(reads, this.form, options), signal);
    if (aggregate.gasSufficient) this.gaugeExists = true;
    return aggregate;
  }

  async call(
    { to, data }: ReadCall,
    signal: AbortSignal,
    { block = 'latest', shortTimeout }: BlockCallOptions = {},
  ): Promise<string> {
    return this.nodes.request(
      {
        method: 'eth_call',
        params: (multicall3) => {
          const target = resolveTarget(multicall3, to);
          return encodeEthCallParams(target, data, block, multicall3 === undefined);
        },
        parseResult: to === multicall3Target ? parseMulticall3Result : parseReturnData,
        maxResultBytes: MAX_RESULT_BYTES,
        ...(shortTimeout ? { shortTimeout } : {}),
      },
      signal,
    );
  }

  async runInitCode(
    initCode: string,
    signal: AbortSignal,
    { block = 'latest', shortTimeout }: BlockCallOptions = {},
  ): Promise<string> {
    return this.nodes.request(
      {
        method: 'eth_call',
        params: () => encodeInitCodeCallParams(initCode, block),
        parseResult: parseInitCodeResult,
        maxResultBytes: MAX_RESULT_BYTES,
        ...(shortTimeout ? { shortTimeout } : {}),
      },
      signal,
    );
  }

  async hasGasSentinel(signal: AbortSignal): Promise<boolean> {
    this.gaugeExists ??= await this.probeGasGauge(signal);
    return this.gaugeExists;
  }

  /** eth_blockNumber: the number that eth_call takes. Rejects with NodeFailure. */
  async getBlockNumber(signal: AbortSignal): Promise<bigint> {
    return this.nodes.request(
      { method: 'eth_blockNumber', params: () => '[]', parseResult: parseQuantity },
      signal,
    );
  }

  private async probeGasGauge(signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.call(gasSentinelCall, signal)) === gasSentinelResult;
    } catch (error) {
      if (error instanceof RpcNodeError && error.kind !== 'unavailable') return false;
      throw error;
    }
  }
}

/** Nothing is what a node without this contract answers, and not what the contract says. */
function parseMulticall3Result(result: string): string {
  if (result === '0x') throw new RpcNodeError('no_multicall', 'the node has no Multicall3');
  return parseReturnData(result);
}

/** Ours always return something: nothing is what a node answers that did not run them. */
function parseInitCodeResult(result: string): string {
  if (result === '0x') throw new RpcNodeError('unavailable', 'the node ran no init code');
  return parseReturnData(result);
}

function parseQuantity(result: string): bigint {
  if (result === '0x' || result.length > 18) throw new RpcNodeError('unavailable', 'the node named no block');
  return BigInt(result);
}
