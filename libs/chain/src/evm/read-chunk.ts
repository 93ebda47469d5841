import { type Aggregate, type ChainCalls, type ReadCall } from './contract-calls.js';
import { type Address } from './hex.js';
import { type BatchAnswer } from './multicall3.js';
import { NodeFailure } from './node-failure.js';
import { multicall3Target, type ReadFailure } from './read.js';
import { readFailure } from './read-failure.js';

/** What came of one call, before anybody says what it means. `data` is hex without 0x. */
export type RawAnswer =
  | { readonly kind: 'data'; readonly data: string; readonly blockNumber?: bigint }
  | { readonly kind: 'reverted'; readonly blockNumber?: bigint }
  | { readonly kind: 'failed'; readonly failure: ReadFailure };

/** The calls that halving one chunk may cost: two bad contracts among 500 cost about 36. */
const maxTriesPerChunk = 128;
/** Single re-reads under way at a time, per chunk. */
const singlesAtOnce = 8;
/** What no honest answer to a read comes near, in hex digits. */
const floodDigits = 8_192;

export interface ChunkOptions {
  readonly contracts: ChainCalls;
  readonly signal: AbortSignal;
  /** Told of contracts that hurt the other reads of a batch: they burned its gas or flooded its answer. */
  readonly onOffender: (contract: Address) => void;
}

interface Chunk extends Pick<ChunkOptions, 'contracts' | 'signal'> {
  tries: number;
  readonly offenders: Set<string>;
}

/**
 * Reads a list of distinct calls as one batch. A batch that fails as a whole, or in which gas ran out, is halved down to
 * single calls. Never rejects for a node's failure: that is an answer too.
 */
export async function readChunk(reads: readonly ReadCall[], options: ChunkOptions): Promise<RawAnswer[]> {
  const chunk: Chunk = { ...options, tries: 0, offenders: new Set() };
  const answers = await readBatch(chunk, reads);
  // A node that fails at everything accuses everybody: somebody else's answer has to speak for the node.
  const isWitness = (answer: RawAnswer, index: number): boolean =>
    answer.kind === 'data' && !chunk.offenders.has(reads[index]?.to ?? '');
  if (chunk.offenders.size > 0 && answers.some(isWitness))
    for (const { to } of reads)
      if (to !== multicall3Target && chunk.offenders.has(to)) options.onOffender(to);
  return answers;
}

/** Reads one call by itself, where it can hurt no other. Never rejects for a node's failure. */
export async function readSingle(read: ReadCall, options: ChunkOptions): Promise<RawAnswer> {
  const chunk: Chunk = { ...options, tries: 0, offenders: new Set() };
  const answer = await readAlone(chunk, read);
  if (read.to !== multicall3Target && chunk.offenders.has(read.to)) options.onOffender(read.to);
  return answer;
}

async function readBatch(chunk: Chunk, reads: readonly ReadCall[]): Promise<RawAnswer[]> {
  if (chunk.tries >= maxTriesPerChunk)
    return reads.map(() => unavailable('too many calls of the same batch failed'));
  chunk.tries += 1;
  try {
    const batch = await chunk.contracts.aggregate(reads, chunk.signal);
    if (!batch.gasLasted && (await chunk.contracts.hasGasGauge(chunk.signal)))
      return await halve(chunk, reads);
    return await judge(chunk, reads, batch);
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    if (error.kind === 'unavailable' || error.kind === 'no_multicall') {
      return reads.map(() => unavailable(error.message));
    }
    return halve(chunk, reads);
  }
}

async function halve(chunk: Chunk, reads: readonly ReadCall[]): Promise<RawAnswer[]> {
  const middle = Math.ceil(reads.length / 2);
  const halves = [reads.slice(0, middle), reads.slice(middle)].map((half) => readHalf(chunk, half));
  return (await Promise.all(halves)).flat();
}

async function readHalf(chunk: Chunk, reads: readonly ReadCall[]): Promise<RawAnswer[]> {
  const [only, ...others] = reads;
  if (!only) return [];
  if (others.length > 0 || chunk.tries >= maxTriesPerChunk) return readBatch(chunk, reads);
  chunk.tries += 1;
  return [await readAlone(chunk, only)];
}

/** Sub calls that failed in a way that may not be a revert are asked again, each alone, where the node names the cause. */
async function judge(chunk: Chunk, reads: readonly ReadCall[], batch: Aggregate): Promise<RawAnswer[]> {
  const { blockNumber, gasLasted } = batch;
  const doubtful: number[] = [];
  const raw = batch.answers.map((answer, index): RawAnswer => {
    if (!answer) return unavailable('the nodes do not agree');
    if (answer.data.length > floodDigits) chunk.offenders.add(reads[index]?.to ?? '');
    if (answer.success) return { kind: 'data', data: answer.data, blockNumber };
    if (!isCertainRevert(answer, gasLasted)) doubtful.push(index);
    return { kind: 'reverted', blockNumber };
  });
  const readNext = async (): Promise<void> => {
    for (let index = doubtful.pop(); index !== undefined; index = doubtful.pop()) {
      const read = reads[index];
      if (read) raw[index] = await readAlone(chunk, read);
    }
  };
  await Promise.all(Array.from({ length: singlesAtOnce }, readNext));
  return raw;
}

/** Only the REVERT instruction returns data; running out of gas and every other exceptional halt return none. */
function isCertainRevert(answer: BatchAnswer, gasLasted: boolean): boolean {
  return gasLasted && answer.data.length > 0;
}

async function readAlone({ contracts, signal, offenders }: Chunk, read: ReadCall): Promise<RawAnswer> {
  try {
    const data = await contracts.direct(read, signal);
    if (data.length > floodDigits) offenders.add(read.to);
    return { kind: 'data', data };
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    // A plain revert gives back the gas that it did not need.
    if (error.kind !== 'unavailable' && error.kind !== 'reverted') offenders.add(read.to);
    if (error.kind === 'reverted' || error.kind === 'halted') return { kind: 'reverted' };
    if (error.kind === 'flooded')
      return { kind: 'failed', failure: readFailure('malformed_answer', error.message) };
    if (error.kind === 'out_of_gas')
      return { kind: 'failed', failure: readFailure('out_of_gas', error.message) };
    // Too heavy even alone: a flooding contract or a flooding node, nobody can say which, so it is not held against anybody.
    return unavailable(error.message);
  }
}

function unavailable(message: string): RawAnswer {
  return { kind: 'failed', failure: readFailure('unavailable', message) };
}
