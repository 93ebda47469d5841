import { type ReadCall } from '../nodes/aggregate-request.js';
import { type MisbehaviorEvidence } from './read-single-call.js';

/** Reads of one offender that are still made, each by itself, in the chunk in which it was found out. */
const MAX_SINGLE_READS = 16;
/** Batches of one contract that may fail before the rest of it is left for later. */
const MAX_FAILED_BATCHES = 48;

/** What one chunk has found out about the contracts in it that hurt others. */
export class MisbehavingContractTracker {
  private readonly harms = new Map<ReadCall['to'], MisbehaviorEvidence>();
  private readonly harmless = new Set<ReadCall['to']>();
  private readonly failedBatches = new Map<ReadCall['to'], number>();
  private readonly singles = new Map<ReadCall['to'], number>();

  /** Those that nobody has been told of yet. */
  readonly unreported: ReadCall['to'][] = [];

  add(contract: ReadCall['to'], harm: MisbehaviorEvidence): void {
    if (!this.harms.has(contract)) this.unreported.push(contract);
    this.harms.set(contract, harm);
  }

  has(contract: ReadCall['to']): boolean {
    return this.harms.size > 0 && this.harms.has(contract);
  }

  /** One read of it, alone, did no harm: what it needs is smaller batches. */
  markWellBehaved(contract: ReadCall['to']): void {
    this.harmless.add(contract);
  }

  isWellBehaved(contract: ReadCall['to']): boolean {
    return this.harmless.has(contract);
  }

  /** A batch of nothing but the contract failed; false when it were too many. */
  recordFailedBatch(contract: ReadCall['to']): boolean {
    const failed = (this.failedBatches.get(contract) ?? 0) + 1;
    this.failedBatches.set(contract, failed);
    return failed <= MAX_FAILED_BATCHES;
  }

  /** How many of so many reads of an offender are still made: what one read of it did says nothing about the others. */
  reserveSingleReads(contract: ReadCall['to'], wanted: number): number {
    if (this.harms.get(contract) === 'took the time') return 0;
    const taken = this.singles.get(contract) ?? 0;
    const granted = Math.min(wanted, MAX_SINGLE_READS - taken);
    this.singles.set(contract, taken + granted);
    return granted;
  }
}
