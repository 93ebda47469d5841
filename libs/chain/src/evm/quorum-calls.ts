import { type Aggregate, type ReadCall } from './aggregate.js';
import { type CallOptions, type ChainCalls, type ContractCalls } from './contract-calls.js';
import { type BlockTag } from './eth-call.js';
import { type BatchAnswer } from './multicall3.js';
import { isContractsDoing, NodeFailure } from './node-failure.js';
import { type PinnedBlock, pinBlock } from './pin-block.js';

/** How the votes on one question are told apart: what is the same text is the same answer. */
type Vote = string;

/** Believes only what `quorum` nodes say of the same block. */
export class QuorumCalls implements ChainCalls {
  constructor(
    private readonly nodes: readonly ContractCalls[],
    private readonly quorum: number,
    private readonly maxLagBlocks: bigint,
  ) {}

  async aggregate(
    reads: readonly ReadCall[],
    signal: AbortSignal,
    options: CallOptions = {},
  ): Promise<Aggregate> {
    const polls: Aggregate[] = [];
    let merged: Aggregate | undefined;
    await this.poll(
      signal,
      (node, block) => node.aggregate(reads, signal, { ...options, block }),
      (poll) => {
        polls.push(poll);
        if (polls.length < this.quorum) return false;
        merged = mergeAggregates(reads.length, polls, this.quorum);
        return !merged.answers.includes(undefined);
      },
    );
    if (!merged) throw disagreement();
    return merged;
  }

  async direct(read: ReadCall, signal: AbortSignal, options: CallOptions = {}): Promise<string> {
    return this.agree(signal, (node, block) => node.direct(read, signal, { ...options, block }));
  }

  async construct(initCode: string, signal: AbortSignal, options: CallOptions = {}): Promise<string> {
    return this.agree(signal, (node, block) => node.construct(initCode, signal, { ...options, block }));
  }

  async hasGasGauge(signal: AbortSignal): Promise<boolean> {
    const has = await Promise.all(this.nodes.map((node) => node.hasGasGauge(signal).catch(() => undefined)));
    if (has.includes(true)) return true;
    if (has.filter((answer) => answer === false).length < this.quorum) throw disagreement();
    return false;
  }

  /** What enough nodes answer to one question, or say of the contract. */
  private async agree(
    signal: AbortSignal,
    ask: (node: ContractCalls, block: BlockTag) => Promise<string>,
  ): Promise<string> {
    const votes = new Map<Vote, number>();
    let agreed: string | NodeFailure | undefined;
    await this.poll(
      signal,
      (node, block) => ask(node, block).catch(contractsDoing),
      (answer) => {
        const vote: Vote = typeof answer === 'string' ? `0x${answer}` : answer.kind;
        const count = (votes.get(vote) ?? 0) + 1;
        votes.set(vote, count);
        if (count >= this.quorum) agreed = answer;
        return agreed !== undefined;
      },
    );
    if (agreed === undefined) throw disagreement();
    if (typeof agreed !== 'string') throw agreed;
    return agreed;
  }

  /**
   * Asks as many nodes as the quorum needs at once and, one by one, the others, until `isSettled` says so of an answer.
   * Throws the failure that kept the quorum from being reached.
   */
  private async poll<T>(
    signal: AbortSignal,
    ask: (node: ContractCalls, block: BlockTag) => Promise<T>,
    isSettled: (answer: T) => boolean,
  ): Promise<void> {
    const { block, nodes }: PinnedBlock<ContractCalls> = await pinBlock(
      this.nodes,
      this.quorum,
      this.maxLagBlocks,
      signal,
    );
    let answered = 0;
    let failure: NodeFailure | undefined;
    for (let next = 0; next < nodes.length;) {
      const group = nodes.slice(next, next + Math.max(this.quorum - answered, 1));
      next += group.length;
      for (const result of await Promise.allSettled(group.map((node) => ask(node, block)))) {
        if (result.status === 'fulfilled') {
          answered += 1;
          if (isSettled(result.value)) return;
        } else if (result.reason instanceof NodeFailure) {
          if (!failure || failure.kind === 'unavailable') failure = result.reason;
        } else throw result.reason;
      }
    }
    if (answered < this.quorum && failure) throw failure;
  }
}

/** Per read the answer that enough polls gave; polls that ran out of gas have no say where enough did not. */
function mergeAggregates(count: number, polls: readonly Aggregate[], quorum: number): Aggregate {
  const sound = polls.filter(({ gasLasted }) => gasLasted);
  const gasLasted = sound.length >= quorum;
  const voters = gasLasted ? sound : polls;
  const answers: (BatchAnswer | undefined)[] = [];
  for (let index = 0; index < count; index += 1) {
    const candidates = voters.map((poll) => poll.answers[index]);
    answers.push(candidates.find((one) => candidates.filter((other) => isSame(one, other)).length >= quorum));
  }
  const blockNumber = voters[0]?.blockNumber;
  return { answers, gasLasted, ...(blockNumber === undefined ? {} : { blockNumber }) };
}

function isSame(one: BatchAnswer | undefined, other: BatchAnswer | undefined): boolean {
  return (
    one !== undefined && one.success === other?.success && one.data.toLowerCase() === other.data.toLowerCase()
  );
}

/** What a contract does is an answer too, on which nodes have to agree. */
function contractsDoing(error: unknown): NodeFailure {
  if (error instanceof NodeFailure && isContractsDoing(error)) return error;
  throw error;
}

function disagreement(): NodeFailure {
  return new NodeFailure('unavailable', 'too few nodes agree on the answer');
}
