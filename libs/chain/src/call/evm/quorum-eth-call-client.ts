import type { AggregateResult } from './aggregate-request.js';
import type { EthCallClient, EthCallOptions, FailoverEthCallClient } from './eth-call-client.js';
import type { ReadCall } from '../../reads/evm/contract-read.js';
import { type BlockTag, toBlockTag } from '../../reads/evm/call-params.js';
import type { Multicall3Result } from '../../reads/evm/multicall3.js';
import { isContractError, RpcNodeError } from '../../node/rpc-node-error.js';

interface PinnedBlock {
  readonly block: BlockTag;
  /** The nodes that have the block, in their order. */
  readonly nodes: readonly FailoverEthCallClient[];
}

/**
 * Chooses the newest block that `quorum` nodes have and that is at most `maxLagBlocks` behind the newest block of any of
 * them, so that a single node which is far behind or claims to be far ahead cannot choose. Throws RpcNodeError.
 */
async function pinBlock(
  nodes: readonly FailoverEthCallClient[],
  quorum: number,
  maxLagBlocks: bigint,
  signal: AbortSignal,
): Promise<PinnedBlock> {
  const responses = await Promise.allSettled(nodes.map((node) => node.getBlockNumber(signal)));
  let failure = new RpcNodeError('unavailable', 'too few nodes agree on the newest block');
  const blockNumbers: bigint[] = [];
  for (const response of responses) {
    if (response.status === 'fulfilled') blockNumbers.push(response.value);
    else if (response.reason instanceof RpcNodeError) failure = response.reason;
    else throw response.reason;
  }
  blockNumbers.sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  for (const [index, newest] of blockNumbers.entries()) {
    const block = blockNumbers[index + quorum - 1];
    if (block === undefined) break;
    if (newest - block > maxLagBlocks) continue;
    const nodesWithBlock = nodes.filter((_, at) => {
      const response = responses[at];
      return response?.status === 'fulfilled' && response.value >= block;
    });
    return { block: toBlockTag(block), nodes: nodesWithBlock };
  }
  throw failure;
}

interface PollContext {
  readonly signal: AbortSignal;
  readonly pinnedBlock?: bigint;
}

/** Uses only results that `quorum` nodes give at the same block. */
export class QuorumEthCallClient implements EthCallClient {
  constructor(
    private readonly nodes: readonly FailoverEthCallClient[],
    private readonly quorum: number,
    private readonly maxLagBlocks: bigint,
  ) {}

  async aggregate(
    reads: readonly ReadCall[],
    signal: AbortSignal,
    options: EthCallOptions = {},
  ): Promise<AggregateResult> {
    const polled: AggregateResult[] = [];
    let merged: AggregateResult | undefined;
    await this.poll(
      { signal, ...options },
      (node, block) => node.aggregate(reads, signal, { ...options, block }),
      (result) => {
        polled.push(result);
        if (polled.length < this.quorum) return false;
        merged = mergeAggregateResults(reads.length, polled, this.quorum);
        return !merged.results.includes(undefined);
      },
    );
    if (!merged) throw createDisagreementError();
    return merged;
  }

  async call(read: ReadCall, signal: AbortSignal, options: EthCallOptions = {}): Promise<string> {
    return this.findAgreement({ signal, ...options }, (node, block) =>
      node.call(read, signal, { ...options, block }),
    );
  }

  async runInitCode(initCode: string, signal: AbortSignal, options: EthCallOptions = {}): Promise<string> {
    return this.findAgreement({ signal, ...options }, (node, block) =>
      node.runInitCode(initCode, signal, { ...options, block }),
    );
  }

  async hasGasSentinel(signal: AbortSignal): Promise<boolean> {
    const results = await Promise.all(
      this.nodes.map((node) => node.hasGasSentinel(signal).catch(() => undefined)),
    );
    if (results.includes(true)) return true;
    if (results.filter((result) => result === false).length < this.quorum) throw createDisagreementError();
    return false;
  }

  /** The return data, or the contract error, that enough nodes give. */
  private async findAgreement(
    context: PollContext,
    send: (node: FailoverEthCallClient, block: BlockTag) => Promise<string>,
  ): Promise<string> {
    const votes = new Map<string, number>();
    let agreed: string | RpcNodeError | undefined;
    await this.poll(
      context,
      (node, block) => send(node, block).catch(catchContractError),
      (result) => {
        const vote = typeof result === 'string' ? `0x${result}` : result.kind;
        const count = (votes.get(vote) ?? 0) + 1;
        votes.set(vote, count);
        if (count >= this.quorum) agreed = result;
        return agreed !== undefined;
      },
    );
    if (agreed === undefined) throw createDisagreementError();
    if (typeof agreed !== 'string') throw agreed;
    return agreed;
  }

  /**
   * Polls as many nodes as the quorum needs at once, then the others one by one, until `isSettled` returns true for a result.
   * Throws the failure that kept the quorum from being reached.
   */
  private async poll<T>(
    { signal, pinnedBlock }: PollContext,
    send: (node: FailoverEthCallClient, block: BlockTag) => Promise<T>,
    isSettled: (result: T) => boolean,
  ): Promise<void> {
    const { block, nodes } =
      pinnedBlock === undefined
        ? await pinBlock(this.nodes, this.quorum, this.maxLagBlocks, signal)
        : { block: toBlockTag(pinnedBlock), nodes: this.nodes };
    let successes = 0;
    let failure: RpcNodeError | undefined;
    for (let next = 0; next < nodes.length;) {
      const group = nodes.slice(next, next + Math.max(this.quorum - successes, 1));
      next += group.length;
      for (const response of await Promise.allSettled(group.map((node) => send(node, block)))) {
        if (response.status === 'fulfilled') {
          successes += 1;
          if (isSettled(response.value)) return;
        } else if (response.reason instanceof RpcNodeError) {
          if (!failure || failure.kind === 'unavailable') failure = response.reason;
        } else throw response.reason;
      }
    }
    if (successes < this.quorum && failure) throw failure;
  }
}

/** Per read the result that enough nodes gave. Aggregates that ran out of gas only count if too few others are left. */
function mergeAggregateResults(
  count: number,
  polled: readonly AggregateResult[],
  quorum: number,
): AggregateResult {
  const sound = polled.filter(({ gasSufficient }) => gasSufficient);
  const gasSufficient = sound.length >= quorum;
  const voters = gasSufficient ? sound : polled;
  const results: (Multicall3Result | undefined)[] = [];
  for (let index = 0; index < count; index += 1) {
    const candidates = voters.map((voter) => voter.results[index]);
    results.push(
      candidates.find((one) => candidates.filter((other) => isSameResult(one, other)).length >= quorum),
    );
  }
  const blockNumber = voters[0]?.blockNumber;
  return { results, gasSufficient, ...(blockNumber === undefined ? {} : { blockNumber }) };
}

function isSameResult(one: Multicall3Result | undefined, other: Multicall3Result | undefined): boolean {
  return (
    one !== undefined && one.success === other?.success && one.data.toLowerCase() === other.data.toLowerCase()
  );
}

/** A contract error is a result too, on which nodes have to agree. */
function catchContractError(error: unknown): RpcNodeError {
  if (error instanceof RpcNodeError && isContractError(error)) return error;
  throw error;
}

function createDisagreementError(): RpcNodeError {
  return new RpcNodeError('unavailable', 'too few nodes agree on the answer');
}
