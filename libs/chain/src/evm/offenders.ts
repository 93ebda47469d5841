import { type ReadCall } from './aggregate.js';
import { type Harm } from './read-alone.js';

/** Reads of one offender that are still made, each by itself, in the chunk in which it was found out. */
const mostSingles = 16;
/** Batches of one contract that may fail before the rest of it is left for later. */
const mostFailedBatches = 48;

/** What one chunk has found out about the contracts in it that hurt others. */
export class Offenders {
  private readonly harms = new Map<ReadCall['to'], Harm>();
  private readonly harmless = new Set<ReadCall['to']>();
  private readonly failedBatches = new Map<ReadCall['to'], number>();
  private readonly singles = new Map<ReadCall['to'], number>();

  /** Those that nobody has been told of yet. */
  readonly unaccused: ReadCall['to'][] = [];

  add(contract: ReadCall['to'], harm: Harm): void {
    if (!this.harms.has(contract)) this.unaccused.push(contract);
    this.harms.set(contract, harm);
  }

  has(contract: ReadCall['to']): boolean {
    return this.harms.size > 0 && this.harms.has(contract);
  }

  /** One read of it, alone, did no harm: what it needs is smaller batches. */
  clear(contract: ReadCall['to']): void {
    this.harmless.add(contract);
  }

  isCleared(contract: ReadCall['to']): boolean {
    return this.harmless.has(contract);
  }

  /** A batch of nothing but the contract failed; false when it were too many. */
  mayTryAgain(contract: ReadCall['to']): boolean {
    const failed = (this.failedBatches.get(contract) ?? 0) + 1;
    this.failedBatches.set(contract, failed);
    return failed <= mostFailedBatches;
  }

  /** How many of so many reads of an offender are still made: what one read of it did says nothing about the others. */
  takeSingles(contract: ReadCall['to'], wanted: number): number {
    if (this.harms.get(contract) === 'took the time') return 0;
    const taken = this.singles.get(contract) ?? 0;
    const granted = Math.min(wanted, mostSingles - taken);
    this.singles.set(contract, taken + granted);
    return granted;
  }
}
