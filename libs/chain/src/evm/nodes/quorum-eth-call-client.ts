import { type AggregateResult, type ReadCall } from './aggregate-request.js';
import { type EthCallOptions, type EthCallClient, type FailoverEthCallClient } from './eth-call-client.js';
import { type BlockTag } from '../codec/eth-call.js';
import { type Multicall3Result } from '../codec/multicall3.js';
import { isContractError, RpcNodeError } from '../../shared/rpc-node-error.js';
import { type PinnedBlock, pinBlock } from './pin-block.js';

/** How the votes on one question are told apart: what is the same text is the same answer. */
type Vote = string;

/** Believes only what `quorum` nodes say of the same block. */
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
    const polls: AggregateResult[] = [];
    let merged: AggregateResult | undefined;
    await this.poll(
      signal,
      (node, block) => node.aggregate(reads, signal, { ...options, block }),
      (poll) => {
        polls.push(poll);
        if (polls.length < this.quorum) return false;
        merged = mergeAggregateResults(reads.length, polls, this.quorum);
        return !merged.results.includes(undefined);
      },
    );
    if (!merged) throw createDisagreementError();
    return merged;
  }

  async call(read: ReadCall, signal: AbortSignal, options: EthCallOptions = {}): Promise<string> {
    return this.agree(signal, (node, block) => node.call(read, signal, { ...options, block }));
  }

  async runInitCode(initCode: string, signal: AbortSignal, options: EthCallOptions = {}): Promise<string> {
    return this.agree(signal, (node, block) => node.runInitCode(initCode, signal, { ...options, block }));
  }

  async hasGasSentinel(signal: AbortSignal): Promise<boolean> {
    const has = await Promise.all(
      this.nodes.map((node) => node.hasGasSentinel(signal).catch(() => undefined)),
    );
    if (has.includes(true)) return true;
    if (has.filter((answer) => answer === false).length < this.quorum) throw createDisagreementError();
    return false;
  }

  /** What enough nodes answer to one question, or say of the contract. */
  private async agree(
    signal: AbortSignal,
    ask: (node: FailoverEthCallClient, block: BlockTag) => Promise<string>,
  ): Promise<string> {
    const votes = new Map<Vote, number>();
    let agreed: string | RpcNodeError | undefined;
    await this.poll(
      signal,
      (node, block) => ask(node, block).catch(catchContractError),
      (answer) => {
        const vote: Vote = typeof answer === 'string' ? `0x${answer}` : answer.kind;
        const count = (votes.get(vote) ?? 0) + 1;
        votes.set(vote, count);
        if (count >= this.quorum) agreed = answer;
        return agreed !== undefined;
      },
    );
    if (agreed === undefined) throw createDisagreementError();
    if (typeof agreed !== 'string') throw agreed;
    return agreed;
  }

  /**
   * Asks as many nodes as the quorum needs at once and, one by one, the others, until `isSettled` says so of an answer.
   * Throws the failure that kept the quorum from being reached.
   */
  private async poll<T>(
    signal: AbortSignal,
    ask: (node: FailoverEthCallClient, block: BlockTag) => Promise<T>,
    isSettled: (answer: T) => boolean,
  ): Promise<void> {
    const { block, nodes }: PinnedBlock<FailoverEthCallClient> = await pinBlock(
      this.nodes,
      this.quorum,
      this.maxLagBlocks,
      signal,
    );
    let answered = 0;
    let failure: RpcNodeError | undefined;
    for (let next = 0; next < nodes.length;) {
      const group = nodes.slice(next, next + Math.max(this.quorum - answered, 1));
      next += group.length;
      for (const result of await Promise.allSettled(group.map((node) => ask(node, block)))) {
        if (result.status === 'fulfilled') {
          answered += 1;
          if (isSettled(result.value)) return;
        } else if (result.reason instanceof RpcNodeError) {
          if (!failure || failure.kind === 'unavailable') failure = result.reason;
        } else throw result.reason;
      }
    }
    if (answered < this.quorum && failure) throw failure;
  }
}

/** Per read the answer that enough polls gave; polls that ran out of gas have no say where enough did not. */
function mergeAggregateResults(
  count: number,
  polls: readonly AggregateResult[],
  quorum: number,
): AggregateResult {
  const sound = polls.filter(({ gasSufficient }) => gasSufficient);
  const gasLasted = sound.length >= quorum;
  const voters = gasLasted ? sound : polls;
  const answers: (Multicall3Result | undefined)[] = [];
  for (let index = 0; index < count; index += 1) {
    const candidates = voters.map((poll) => poll.results[index]);
    answers.push(
      candidates.find((one) => candidates.filter((other) => isSameResult(one, other)).length >= quorum),
    );
  }
  const blockNumber = voters[0]?.blockNumber;
  return {
    results: answers,
    gasSufficient: gasLasted,
    ...(blockNumber === undefined ? {} : { blockNumber }),
  };
}

function isSameResult(one: Multicall3Result | undefined, other: Multicall3Result | undefined): boolean {
  return (
    one !== undefined && one.success === other?.success && one.data.toLowerCase() === other.data.toLowerCase()
  );
}

/** What a contract does is an answer too, on which nodes have to agree. */
function catchContractError(error: unknown): RpcNodeError {
  if (error instanceof RpcNodeError && isContractError(error)) return error;
  throw error;
}

function createDisagreementError(): RpcNodeError {
  return new RpcNodeError('unavailable', 'too few nodes agree on the answer');
}
