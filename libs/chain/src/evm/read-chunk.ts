import { type Aggregate, type ContractCalls, type ReadCall } from './contract-calls.js';
import { type BatchAnswer } from './multicall3.js';
import { NodeFailure } from './node-failure.js';
import { type ReadFailure } from './read.js';
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

interface Chunk {
  readonly contracts: ContractCalls;
  readonly signal: AbortSignal;
  tries: number;
}

/**
 * Reads a list of distinct calls as one batch. A batch that fails as a whole, or in which gas ran out, is halved down to
 * single calls. Never rejects for a node's failure: that is an answer too.
 */
export async function readChunk(
  contracts: ContractCalls,
  reads: readonly ReadCall[],
  signal: AbortSignal,
): Promise<RawAnswer[]> {
  return readBatch({ contracts, signal, tries: 0 }, reads);
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

async function readAlone(chunk: Chunk, read: ReadCall): Promise<RawAnswer> {
  try {
    return { kind: 'data', data: await chunk.contracts.direct(read, chunk.signal) };
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    if (error.kind === 'reverted') return { kind: 'reverted' };
    if (error.kind === 'out_of_gas')
      return { kind: 'failed', failure: readFailure('out_of_gas', error.message) };
    // Too heavy even alone: a flooding contract or a flooding node, nobody can say which, so it is not held against anybody.
    return unavailable(error.message);
  }
}

function unavailable(message: string): RawAnswer {
  return { kind: 'failed', failure: readFailure('unavailable', message) };
}
