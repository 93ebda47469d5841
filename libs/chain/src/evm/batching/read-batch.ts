import { type AggregateResult, type ReadCall } from '../nodes/aggregate-request.js';
import { type OnResults } from '../../shared/read-batcher.js';
import { type EthCallClient } from '../nodes/eth-call-client.js';
import { type Address } from '../codec/abi-encode.js';
import { type Multicall3Result } from '../codec/multicall3.js';
import { isExecutionTimeout, RpcNodeError } from '../../shared/rpc-node-error.js';
import { MisbehavingContractTracker } from './misbehaving-contract-tracker.js';
import { type CallResult, createUnavailableResult } from '../../shared/call-result.js';
import { isOversizedReturnData, readSingleCall } from './read-single-call.js';
import { multicall3Target } from '../codec/contract-read.js';
import { type GroupedReadCall, splitReads } from './split-reads.js';

/** Works on all items, on a few at a time. Rejects with the first work that does. */
export async function forEachConcurrent<T>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}

/** The calls that taking one chunk apart may cost. */
const MAX_BATCH_ATTEMPTS = 128;
/**
 * The calls that sub calls which failed without a word may cost beside them: a whole chunk of ids that nobody owns, in a
 * collection that does not say why it reverts, is answered.
 */
const MAX_AMBIGUOUS_REREADS = 500;
/** Calls of one chunk under way at a time, of either kind. */
const MAX_CONCURRENT_CALLS = 8;

export interface BatchReadOptions {
  readonly ethCallClient: EthCallClient;
  readonly signal: AbortSignal;
  /** Told of contracts that hurt the other reads of a batch: they burned its gas, flooded its answer or took its time. */
  readonly onMisbehavingContract: (contract: Address) => void;
  /** Told once of every read, as soon as its answer is known. */
  readonly onResults: OnResults;
}

/** Places in the list of reads. */
type Part = readonly number[];

/**
 * Reads a list of distinct calls as one batch. A batch that fails as a whole, or in which gas ran out, is taken apart, level
 * by level, until the contract is found that is at fault. Never rejects for a node's failure: that is an answer too.
 */
export async function readBatch(reads: readonly GroupedReadCall[], options: BatchReadOptions): Promise<void> {
  await new BatchReader(reads, options).run();
}

/** Reads one call of a contract that is known to hurt others. */
export async function readQuarantinedCall(read: ReadCall, options: BatchReadOptions): Promise<void> {
  const { result, evidence } = await readSingleCall(read, options);
  if (evidence && read.to !== multicall3Target) options.onMisbehavingContract(read.to);
  options.onResults([0], [result]);
}

class BatchReader {
  private readonly offenders = new MisbehavingContractTracker();
  private readonly answered: { readonly part: Part; readonly answers: readonly CallResult[] }[] = [];
  private tries = 0;
  private doubts = 0;
  /** The parts of the next level, and sub calls of this one that failed without a word. */
  private parts: Part[] = [];
  private doubtful: number[] = [];
  /** Once a batch took too long there is no time for another that does. */
  private shortTimeout = false;

  constructor(
    private readonly reads: readonly GroupedReadCall[],
    private readonly options: BatchReadOptions,
  ) {}

  async run(): Promise<void> {
    await this.readTogether(this.reads.map((_, index) => index));
    while (this.parts.length > 0 || this.doubtful.length > 0) {
      const { parts, doubtful } = this;
      this.parts = [];
      this.doubtful = [];
      await Promise.all([
        forEachConcurrent(MAX_CONCURRENT_CALLS, parts, (part) => this.readPart(part)),
        forEachConcurrent(MAX_CONCURRENT_CALLS, doubtful, (index) => this.readOne(index)),
      ]);
    }
  }

  private async readPart(part: Part): Promise<void> {
    const [only, ...others] = part;
    if (only === undefined) return;
    if (this.tries >= MAX_BATCH_ATTEMPTS)
      this.answerAll(part, createUnavailableResult('too many calls of the same batch failed'));
    else if (others.length > 0) await this.readTogether(part);
    else {
      this.tries += 1;
      await this.readOne(only);
    }
  }

  private async readTogether(part: Part): Promise<void> {
    this.tries += 1;
    const { ethCallClient, signal } = this.options;
    const reads = part.flatMap((index) => this.reads[index] ?? []);
    try {
      const batch = await ethCallClient.aggregate(reads, signal, { shortTimeout: this.shortTimeout });
      if (batch.gasSufficient || !(await ethCallClient.hasGasSentinel(signal))) this.judge(part, batch);
      else await this.takeApart(part);
    } catch (error) {
      if (!(error instanceof RpcNodeError)) throw error;
      if (error.kind === 'unavailable' || error.kind === 'no_multicall')
        this.answerAll(part, createUnavailableResult(error.message));
      else if (isExecutionTimeout(error)) await this.hurry(part);
      else await this.takeApart(part);
    }
  }

  private async hurry(part: Part): Promise<void> {
    this.shortTimeout = true;
    const [only, ...others] = part;
    // Nobody else was in the batch who could speak for the node: if it takes the time twice, that has to do.
    if (only !== undefined && others.length === 0) await this.readOne(only, true);
    else await this.takeApart(part);
  }

  /** Of a batch of one contract the rest goes on together only if a first read, by itself, does no harm. */
  private async takeApart(part: Part): Promise<void> {
    const { offenders, reads } = this;
    const contract = reads[part[0] ?? 0]?.to;
    if (contract === undefined) return;
    if (part.some((index) => reads[index]?.to !== contract)) {
      this.parts.push(...splitReads(reads, part));
      return;
    }
    let rest = part;
    if (!offenders.has(contract) && !offenders.isWellBehaved(contract)) {
      const [first = 0] = part;
      rest = part.slice(1);
      await this.readOne(first);
      if (!offenders.has(contract)) offenders.markWellBehaved(contract);
    }
    if (offenders.has(contract)) this.readLittleOf(contract, rest);
    else if (!offenders.recordFailedBatch(contract))
      this.answerAll(rest, createUnavailableResult('too many batches of the contract failed'));
    else this.parts.push(...(rest.length > 1 ? splitReads(reads, rest) : [rest]));
  }

  private readLittleOf(contract: ReadCall['to'], rest: Part): void {
    const singles = this.offenders.reserveSingleReads(contract, rest.length);
    this.parts.push(...rest.slice(0, singles).map((index) => [index]));
    this.answerAll(
      rest.slice(singles),
      createUnavailableResult('the contract is too costly to read it often at once'),
    );
  }

  /** Sub calls that failed in a way that may not be a revert are asked again, each alone, where the node names the cause. */
  private judge(part: Part, { results, blockNumber, gasSufficient }: AggregateResult): void {
    const known: number[] = [];
    const raw: CallResult[] = [];
    part.forEach((index, at) => {
      const answer = results[at];
      if (answer && isOversizedReturnData(answer.data))
        this.offenders.add(this.reads[index]?.to ?? multicall3Target, 'flooded the answer');
      if (answer && !answer.success && !isCertainRevert(answer, gasSufficient)) {
        this.doubts += 1;
        if (this.doubts <= MAX_AMBIGUOUS_REREADS) {
          this.doubtful.push(index);
          return;
        }
        raw.push(createUnavailableResult('too many calls of the same batch failed without a word'));
      } else {
        raw.push(toCallResult(answer, blockNumber));
      }
      known.push(index);
    });
    this.answer(known, raw);
  }

  private async readOne(index: number, isSecond = false): Promise<void> {
    const read = this.reads[index];
    if (!read) return;
    const { result, evidence } = await readSingleCall(read, this.options, {
      shortTimeout: this.shortTimeout,
    });
    if (evidence) this.offenders.add(read.to, evidence);
    if (isSecond && evidence === 'took the time' && read.to !== multicall3Target)
      this.options.onMisbehavingContract(read.to);
    this.answer([index], [result]);
  }

  private answerAll(part: Part, answer: CallResult): void {
    this.answer(part, Array<CallResult>(part.length).fill(answer));
  }

  private answer(part: Part, answers: readonly CallResult[]): void {
    if (part.length === 0) return;
    this.answered.push({ part, answers });
    this.reportMisbehavingContracts();
    this.options.onResults(part, answers);
  }

  /** A node that fails at everything accuses everybody: somebody else's answer has to speak for the node. */
  private reportMisbehavingContracts(): void {
    const { offenders, reads } = this;
    if (offenders.unreported.length === 0) return;
    const isWitness = (answer: CallResult, index: number | undefined): boolean =>
      answer.kind === 'data' && index !== undefined && !offenders.has(reads[index]?.to ?? multicall3Target);
    const speaks = this.answered.some(({ part, answers }) =>
      answers.some((answer, at) => isWitness(answer, part[at])),
    );
    if (!speaks) return;
    for (const contract of offenders.unreported.splice(0))
      if (contract !== multicall3Target) this.options.onMisbehavingContract(contract);
  }
}

function toCallResult(answer: Multicall3Result | undefined, blockNumber: bigint | undefined): CallResult {
  if (!answer) return createUnavailableResult('the nodes do not agree');
  return answer.success
    ? { kind: 'data', data: answer.data, blockNumber }
    : { kind: 'reverted', blockNumber };
}

/** Only the REVERT instruction returns data; running out of gas and every other exceptional halt return none. */
function isCertainRevert(answer: Multicall3Result, gasLasted: boolean): boolean {
  return gasLasted && answer.data.length > 0;
}
