import { type Aggregate, type ReadCall } from './aggregate.js';
import { type OnAnswers } from './chain-batcher.js';
import { type ChainCalls } from './contract-calls.js';
import { eachAtMost } from './each-at-most.js';
import { type Address } from './hex.js';
import { type BatchAnswer } from './multicall3.js';
import { isTooLong, NodeFailure } from './node-failure.js';
import { Offenders } from './offenders.js';
import { type RawAnswer, unavailable } from './raw-answer.js';
import { isFlood, readAlone } from './read-alone.js';
import { multicall3Target } from './read.js';
import { type ChunkRead, splitReads } from './split-reads.js';

/** The calls that taking one chunk apart may cost. */
const mostTries = 128;
/**
 * The calls that sub calls which failed without a word may cost beside them: a whole chunk of ids that nobody owns, in a
 * collection that does not say why it reverts, is answered.
 */
const mostDoubtful = 500;
/** Calls of one chunk under way at a time, of either kind. */
const callsAtOnce = 8;

export interface ChunkOptions {
  readonly contracts: ChainCalls;
  readonly signal: AbortSignal;
  /** Told of contracts that hurt the other reads of a batch: they burned its gas, flooded its answer or took its time. */
  readonly onOffender: (contract: Address) => void;
  /** Told once of every read, as soon as its answer is known. */
  readonly onAnswers: OnAnswers;
}

/** Places in the list of reads. */
type Part = readonly number[];

/**
 * Reads a list of distinct calls as one batch. A batch that fails as a whole, or in which gas ran out, is taken apart, level
 * by level, until the contract is found that is at fault. Never rejects for a node's failure: that is an answer too.
 */
export async function readChunk(reads: readonly ChunkRead[], options: ChunkOptions): Promise<void> {
  await new ChunkReading(reads, options).run();
}

/** Reads one call of a contract that is known to hurt others. */
export async function readSingle(read: ReadCall, options: ChunkOptions): Promise<void> {
  const { answer, harm } = await readAlone(read, options);
  if (harm && read.to !== multicall3Target) options.onOffender(read.to);
  options.onAnswers([0], [answer]);
}

class ChunkReading {
  private readonly offenders = new Offenders();
  private readonly answered: { readonly part: Part; readonly answers: readonly RawAnswer[] }[] = [];
  private tries = 0;
  private doubts = 0;
  /** The parts of the next level, and sub calls of this one that failed without a word. */
  private parts: Part[] = [];
  private doubtful: number[] = [];
  /** Once a batch took too long there is no time for another that does. */
  private brisk = false;

  constructor(
    private readonly reads: readonly ChunkRead[],
    private readonly options: ChunkOptions,
  ) {}

  async run(): Promise<void> {
    await this.readTogether(this.reads.map((_, index) => index));
    while (this.parts.length > 0 || this.doubtful.length > 0) {
      const { parts, doubtful } = this;
      this.parts = [];
      this.doubtful = [];
      await Promise.all([
        eachAtMost(callsAtOnce, parts, (part) => this.readPart(part)),
        eachAtMost(callsAtOnce, doubtful, (index) => this.readOne(index)),
      ]);
    }
  }

  private async readPart(part: Part): Promise<void> {
    const [only, ...others] = part;
    if (only === undefined) return;
    if (this.tries >= mostTries) this.answerAll(part, unavailable('too many calls of the same batch failed'));
    else if (others.length > 0) await this.readTogether(part);
    else {
      this.tries += 1;
      await this.readOne(only);
    }
  }

  private async readTogether(part: Part): Promise<void> {
    this.tries += 1;
    const { contracts, signal } = this.options;
    const reads = part.flatMap((index) => this.reads[index] ?? []);
    try {
      const batch = await contracts.aggregate(reads, signal, { brisk: this.brisk });
      if (batch.gasLasted || !(await contracts.hasGasGauge(signal))) this.judge(part, batch);
      else await this.takeApart(part);
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error;
      if (error.kind === 'unavailable' || error.kind === 'no_multicall')
        this.answerAll(part, unavailable(error.message));
      else if (isTooLong(error)) await this.hurry(part);
      else await this.takeApart(part);
    }
  }

  private async hurry(part: Part): Promise<void> {
    this.brisk = true;
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
    if (!offenders.has(contract) && !offenders.isCleared(contract)) {
      const [first = 0] = part;
      rest = part.slice(1);
      await this.readOne(first);
      if (!offenders.has(contract)) offenders.clear(contract);
    }
    if (offenders.has(contract)) this.readLittleOf(contract, rest);
    else if (!offenders.mayTryAgain(contract))
      this.answerAll(rest, unavailable('too many batches of the contract failed'));
    else this.parts.push(...(rest.length > 1 ? splitReads(reads, rest) : [rest]));
  }

  private readLittleOf(contract: ReadCall['to'], rest: Part): void {
    const singles = this.offenders.takeSingles(contract, rest.length);
    this.parts.push(...rest.slice(0, singles).map((index) => [index]));
    this.answerAll(rest.slice(singles), unavailable('the contract is too costly to read it often at once'));
  }

  /** Sub calls that failed in a way that may not be a revert are asked again, each alone, where the node names the cause. */
  private judge(part: Part, { answers, blockNumber, gasLasted }: Aggregate): void {
    const known: number[] = [];
    const raw: RawAnswer[] = [];
    part.forEach((index, at) => {
      const answer = answers[at];
      if (answer && isFlood(answer.data))
        this.offenders.add(this.reads[index]?.to ?? multicall3Target, 'flooded the answer');
      if (answer && !answer.success && !isCertainRevert(answer, gasLasted)) {
        this.doubts += 1;
        if (this.doubts <= mostDoubtful) {
          this.doubtful.push(index);
          return;
        }
        raw.push(unavailable('too many calls of the same batch failed without a word'));
      } else {
        raw.push(rawOf(answer, blockNumber));
      }
      known.push(index);
    });
    this.answer(known, raw);
  }

  private async readOne(index: number, isSecond = false): Promise<void> {
    const read = this.reads[index];
    if (!read) return;
    const { answer, harm } = await readAlone(read, this.options, { brisk: this.brisk });
    if (harm) this.offenders.add(read.to, harm);
    if (isSecond && harm === 'took the time' && read.to !== multicall3Target)
      this.options.onOffender(read.to);
    this.answer([index], [answer]);
  }

  private answerAll(part: Part, answer: RawAnswer): void {
    this.answer(part, Array<RawAnswer>(part.length).fill(answer));
  }

  private answer(part: Part, answers: readonly RawAnswer[]): void {
    if (part.length === 0) return;
    this.answered.push({ part, answers });
    this.accuse();
    this.options.onAnswers(part, answers);
  }

  /** A node that fails at everything accuses everybody: somebody else's answer has to speak for the node. */
  private accuse(): void {
    const { offenders, reads } = this;
    if (offenders.unaccused.length === 0) return;
    const isWitness = (answer: RawAnswer, index: number | undefined): boolean =>
      answer.kind === 'data' && index !== undefined && !offenders.has(reads[index]?.to ?? multicall3Target);
    const speaks = this.answered.some(({ part, answers }) =>
      answers.some((answer, at) => isWitness(answer, part[at])),
    );
    if (!speaks) return;
    for (const contract of offenders.unaccused.splice(0))
      if (contract !== multicall3Target) this.options.onOffender(contract);
  }
}

function rawOf(answer: BatchAnswer | undefined, blockNumber: bigint | undefined): RawAnswer {
  if (!answer) return unavailable('the nodes do not agree');
  return answer.success
    ? { kind: 'data', data: answer.data, blockNumber }
    : { kind: 'reverted', blockNumber };
}

/** Only the REVERT instruction returns data; running out of gas and every other exceptional halt return none. */
function isCertainRevert(answer: BatchAnswer, gasLasted: boolean): boolean {
  return gasLasted && answer.data.length > 0;
}
