import { type EvmAddress } from '@app/dto';
import { type CallResult } from '../../shared/call-result.js';
import { accountCodeTarget, isChosenContract, type ReadCall } from '../codec/contract-read.js';
import { type MisbehaviorEvidence } from './read-single-call.js';

/** Reads of a misbehaving contract that are still sent, one by one, in the batch in which it was detected. */
const MAX_SINGLE_READS = 16;
/** Failed batches of one contract after which its remaining reads fail. */
const MAX_FAILED_BATCHES = 48;

type Target = ReadCall['to'];

/** Collects evidence, within one batch, of contracts whose reads make other reads of a batch fail. */
export class MisbehavingContractTracker {
  private readonly evidence = new Map<Target, MisbehaviorEvidence>();
  private readonly wellBehaved = new Set<Target>();
  private readonly failedBatches = new Map<Target, number>();
  private readonly singleReads = new Map<Target, number>();
  private unreported: Target[] = [];
  /** The contracts that returned data: if all others fail, the node is the cause and not a contract. */
  private readonly answered = new Set<Target>();

  add(contract: Target, evidence: MisbehaviorEvidence): void {
    if (!this.evidence.has(contract)) this.unreported.push(contract);
    this.evidence.set(contract, evidence);
  }

  has(contract: Target): boolean {
    return this.evidence.size > 0 && this.evidence.has(contract);
  }

  /** Call it when a single read of the contract succeeded: it only needs smaller batches. */
  markWellBehaved(contract: Target): void {
    this.wellBehaved.add(contract);
  }

  isWellBehaved(contract: Target): boolean {
    return this.wellBehaved.has(contract);
  }

  /** Counts a failed batch that contained only this contract; false beyond the limit. */
  recordFailedBatch(contract: Target): boolean {
    const failed = (this.failedBatches.get(contract) ?? 0) + 1;
    this.failedBatches.set(contract, failed);
    return failed <= MAX_FAILED_BATCHES;
  }

  /** How many of `wanted` reads may still be sent: other reads of a misbehaving contract may well succeed. */
  reserveSingleReads(contract: Target, wanted: number): number {
    if (this.evidence.get(contract) === 'execution_timeout') return 0;
    const used = this.singleReads.get(contract) ?? 0;
    const granted = Math.min(wanted, MAX_SINGLE_READS - used);
    this.singleReads.set(contract, used + granted);
    return granted;
  }

  recordResult(contract: Target, { kind }: CallResult): void {
    // A node that tells codes need not execute calls.
    if (kind === 'data' && contract !== accountCodeTarget) this.answered.add(contract);
  }

  /**
   * The newly detected contracts, each once, and none before it is known that the node is healthy: it told the too long answer, or data of
   * another contract.
   */
  takeConfirmed(): EvmAddress[] {
    if (this.unreported.length === 0) return [];
    const isNodeHealthy = [...this.answered].some((contract) => !this.has(contract));
    const isConfirmed = (contract: Target) =>
      isNodeHealthy || this.evidence.get(contract) === 'answer_too_long';
    const confirmed = this.unreported.filter(isConfirmed);
    this.unreported = this.unreported.filter((contract) => !isConfirmed(contract));
    return confirmed.filter(isChosenContract);
  }
}
