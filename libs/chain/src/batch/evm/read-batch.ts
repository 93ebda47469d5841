import type { EvmAddress } from '@app/dto';
import type { AggregateResult } from '../../call/evm/aggregate-request.js';
import type { PendingRead } from '../fair-read-queue.js';
import type { ReadBatch } from '../read-batcher.js';
import type { EthCallClient, EthCallOptions } from '../../call/evm/eth-call-client.js';
import { isMissingFunctionRevert } from '../../reads/evm/abi-codec.js';
import type { Multicall3Result } from '../../reads/evm/multicall3.js';
import { isExecutionTimeout, isRefusedByLiveNode, RpcNodeError } from '../../node/rpc-node-error.js';
import { type CallResult, createUnavailableResult, toUnavailableResult } from '../../reads/read-result.js';
import { MAX_REQUESTS_PER_POST, toChunks } from '../../node/json-rpc-batch-client.js';
import { isOversizedReturnData, readSingleCall, type MisbehaviorEvidence } from './read-single-call.js';
import {
  isAccountCodeRead,
  isChosenContract,
  type ReadCall,
  accountCodeTarget,
} from '../../reads/evm/contract-read.js';
import { splitReads } from '../split-reads.js';

/** Calls that splitting one batch may cost. */
const MAX_BATCH_ATTEMPTS = 128;
/**
 * Re-reads of sub-calls that failed without a reason, in addition: enough for a whole batch of unowned ids in a collection
 * that reverts without a reason.
 */
const MAX_AMBIGUOUS_REREADS = 500;
/** Codes of accounts in one request. Each may have 48 KB of hex digits, and providers limit batches (json-rpc-batch-client.ts). */
const MAX_ACCOUNT_CODES = MAX_REQUESTS_PER_POST - 1;
/** Concurrent calls of one batch, of either kind. */
const MAX_CONCURRENT_CALLS = 8;

/** A batch of one function of one contract, which harms nobody but the tenant that chose the function. */
interface FunctionBatch {
  /** The longest result of so many reads, in bytes. Less than that is no evidence against the function. */
  readonly toMaxResultBytes: (reads: number) => number;
}

/** Some reads of a batch. */
type Part = readonly PendingRead<ReadCall>[];

/**
 * Reads a batch of distinct calls. A batch that fails as a whole, or that ran out of gas, is split level by level until the
 * contract that causes it is found. Never rejects for a node's failure: that becomes the result of the read.
 */
export async function readBatch(
  batch: ReadBatch<ReadCall>,
  ethCallClient: EthCallClient,
  ofFunction?: FunctionBatch,
): Promise<void> {
  await new BatchReader(batch, ethCallClient, ofFunction).run();
}

/**
 * Reads one call, of a contract in quarantine or of a large document.
 * @param isMisbehavior whether the evidence keeps the contract in quarantine
 */
export async function readAlone(
  batch: ReadBatch<ReadCall>,
  ethCallClient: EthCallClient,
  isMisbehavior: (evidence: MisbehaviorEvidence) => boolean = () => true,
): Promise<void> {
  const { reads, block, signal } = batch;
  const [read] = reads;
  if (!read) return;
  const { to } = read.call;
  const { result, evidence } = await readSingleCall(
    read.call,
    { ethCallClient, signal },
    { pinnedBlock: block },
  );
  if (evidence && isMisbehavior(evidence) && isChosenContract(to)) batch.quarantine(to);
  batch.settle([read], [result]);
}

class BatchReader {
  private readonly misbehaving: MisbehavingContractTracker;
  private attempts = 0;
  private ambiguousCount = 0;
  /** The parts of the next level, and the sub-calls of this level that failed without a reason. */
  private nextParts: Part[] = [];
  private ambiguous: PendingRead<ReadCall>[] = [];
  /** Set after the first execution timeout: the budget has no time for another full timeout. */
  private shortTimeout = false;

  constructor(
    private readonly batch: ReadBatch<ReadCall>,
    private readonly ethCallClient: EthCallClient,
    private readonly ofFunction: FunctionBatch | undefined,
  ) {
    this.misbehaving = new MisbehavingContractTracker(ofFunction !== undefined);
  }

  async run(): Promise<void> {
    await Promise.all(listFirstParts(this.batch.reads).map((part) => this.readAggregate(part)));
    while (this.nextParts.length > 0 || this.ambiguous.length > 0) {
      const { nextParts, ambiguous } = this;
      this.nextParts = [];
      this.ambiguous = [];
      await Promise.all([
        forEachConcurrent(MAX_CONCURRENT_CALLS, nextParts, (part) => this.readPart(part)),
        forEachConcurrent(MAX_CONCURRENT_CALLS, ambiguous, (read) => this.readSingle(read)),
      ]);
    }
  }

  private async readPart(part: Part): Promise<void> {
    const [only, ...others] = part;
    if (only === undefined) return;
    if (this.attempts >= MAX_BATCH_ATTEMPTS) this.failAll(part, 'too many calls of the same batch failed');
    else if (others.length > 0) await this.readAggregate(part);
    else {
      this.attempts += 1;
      await this.readSingle(only);
    }
  }

  private async readAggregate(part: Part): Promise<void> {
    this.attempts += 1;
    const { ethCallClient } = this;
    const { signal, block } = this.batch;
    try {
      const calls = part.map(({ call }) => call);
      const maxResultBytes = this.ofFunction?.toMaxResultBytes(part.length);
      const options: EthCallOptions = {
        shortTimeout: this.shortTimeout,
        ...(block === undefined ? {} : { pinnedBlock: block }),
        ...(maxResultBytes === undefined ? {} : { maxResultBytes }),
      };
      const aggregate = await ethCallClient.aggregate(calls, signal, options);
      if (aggregate.gasSufficient || !(await ethCallClient.hasGasSentinel(signal)))
        this.handleAggregate(part, aggregate);
      else await this.split(part);
    } catch (error) {
      if (!(error instanceof RpcNodeError)) throw error;
      const isUnavailable = error.kind === 'unavailable' && !isRefusedByLiveNode(error);
      if (isUnavailable || error.kind === 'no_multicall')
        this.settleAll(part, toUnavailableResult(error, block));
      else if (isExecutionTimeout(error)) await this.handleExecutionTimeout(part);
      else await this.split(part);
    }
  }

  private async handleExecutionTimeout(part: Part): Promise<void> {
    this.shortTimeout = true;
    const [only, ...others] = part;
    // No other contract's data can show that the node is healthy; a second execution timeout has to be evidence enough.
    if (only !== undefined && others.length === 0) await this.readSingle(only, true);
    else await this.split(part);
  }

  /** Splits a part for the next level; a part of one contract only after a single read of it has caused no harm. */
  private async split(part: Part): Promise<void> {
    const { misbehaving } = this;
    const [first] = part;
    if (!first) return;
    const contract = first.call.to;
    if (part.some(({ call }) => call.to !== contract)) {
      this.nextParts.push(...splitReads(part));
      return;
    }
    let rest = part;
    if (!misbehaving.has(contract) && !misbehaving.isWellBehaved(contract)) {
      rest = part.slice(1);
      await this.readSingle(first);
      const [second] = rest;
      if (second && misbehaving.isInDoubt(contract)) {
        rest = rest.slice(1);
        await this.readSingle(second);
      }
      if (!misbehaving.has(contract)) misbehaving.markWellBehaved(contract);
    }
    if (misbehaving.has(contract)) this.readMisbehaving(contract, rest);
    else if (!misbehaving.recordFailedBatch(contract))
      this.failAll(rest, 'too many batches of the contract failed');
    else this.nextParts.push(...(rest.length > 1 ? splitReads(rest) : [rest]));
  }

  /** Sends a few reads of a misbehaving contract one by one and fails the others. */
  private readMisbehaving(contract: ReadCall['to'], rest: Part): void {
    const singles = this.misbehaving.reserveSingleReads(contract, rest.length);
    this.nextParts.push(...rest.slice(0, singles).map((read) => [read]));
    this.failAll(rest.slice(singles), 'the contract is too costly to read it often at once');
  }

  /**
   * Sub-calls that failed, but perhaps not by a revert, are re-read one by one, because then the node names the cause; so are
   * codes of accounts that the node left out, because another node may know them.
   */
  private handleAggregate(part: Part, { results, blockNumber, gasSufficient }: AggregateResult): void {
    const known: PendingRead<ReadCall>[] = [];
    const knownResults: CallResult[] = [];
    part.forEach((read, index) => {
      const result = results[index];
      if (result && !this.ofFunction && isOversizedReturnData(result.data))
        this.misbehaving.add(read.call.to, 'answer_too_long');
      const isUncertain = result
        ? !result.success && !isCertainRevert(result, gasSufficient)
        : isAccountCodeRead(read.call);
      if (isUncertain) {
        this.ambiguousCount += 1;
        if (this.ambiguousCount <= MAX_AMBIGUOUS_REREADS) {
          this.ambiguous.push(read);
          return;
        }
        knownResults.push(
          createUnavailableResult('too many calls of the same batch failed without a reason'),
        );
      } else {
        knownResults.push(toCallResult(result, blockNumber));
      }
      known.push(read);
    });
    this.settle(known, knownResults);
  }

  private async readSingle(read: PendingRead<ReadCall>, isSecondTimeout = false): Promise<void> {
    const { batch, ethCallClient } = this;
    const { to } = read.call;
    const context = { ethCallClient, signal: batch.signal };
    const options = { shortTimeout: this.shortTimeout, pinnedBlock: batch.block };
    const { result, evidence } = await readSingleCall(read.call, context, options);
    // A function answers what it may, as far as it is told: only evidence of a failure counts.
    const isHarmless = this.ofFunction !== undefined && result.kind === 'data';
    if (evidence && !isHarmless) this.misbehaving.add(to, evidence);
    if (isSecondTimeout && evidence === 'execution_timeout' && isChosenContract(to)) batch.quarantine(to);
    this.settle([read], [result]);
  }

  private failAll(part: Part, message: string): void {
    this.settleAll(part, createUnavailableResult(message));
  }

  private settleAll(part: Part, result: CallResult): void {
    this.settle(part, Array<CallResult>(part.length).fill(result));
  }

  private settle(part: Part, results: readonly CallResult[]): void {
    if (part.length === 0) return;
    part.forEach(({ call }, index) => {
      this.misbehaving.recordResult(call.to, results[index]);
    });
    for (const contract of this.misbehaving.takeConfirmed()) this.batch.quarantine(contract);
    this.batch.settle(part, results);
  }
}

/** All reads, in one part as long as it holds few codes of accounts. */
function listFirstParts(reads: Part): Part[] {
  const codes = reads.filter(({ call }) => isAccountCodeRead(call));
  if (codes.length <= MAX_ACCOUNT_CODES) return [reads];
  const later = codes.slice(MAX_ACCOUNT_CODES);
  const isLater = new Set(later);
  return [reads.filter((read) => !isLater.has(read)), ...toChunks(later, MAX_ACCOUNT_CODES)];
}

function toCallResult(result: Multicall3Result | undefined, blockNumber: bigint | undefined): CallResult {
  if (!result) return createUnavailableResult('the nodes do not agree');
  return result.success
    ? { kind: 'data', data: result.data, blockNumber }
    : { kind: 'reverted', blockNumber, isBare: isMissingFunctionRevert(result.data) };
}

/**
 * Whether a read reverted for certain. Only the REVERT instruction returns data; running out of gas and every other
 * exceptional halt return none.
 */
function isCertainRevert(result: Multicall3Result, gasSufficient: boolean): boolean {
  return gasSufficient && result.data.length > 0;
}

/** Runs `work` on all items, on at most `limit` at a time. Rejects with the first rejection. */
async function forEachConcurrent<T>(
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

/** Reads of a misbehaving contract that are still sent, one by one, in the batch in which it was detected. */
const MAX_SINGLE_READS = 16;
/** Failed batches of one contract after which its remaining reads fail. */
const MAX_FAILED_BATCHES = 48;

type Target = ReadCall['to'];

/** Whether a single read shows what a function does to each of its calls: each may take all the time of a call. */
export const isEvidenceOfFunction = (evidence: MisbehaviorEvidence): boolean =>
  evidence === 'execution_timeout';

/** Collects evidence, within one batch, of contracts whose reads make other reads of a batch fail. */
class MisbehavingContractTracker {
  private readonly evidence = new Map<Target, MisbehaviorEvidence>();
  private readonly wellBehaved = new Set<Target>();
  private readonly failedBatches = new Map<Target, number>();
  private readonly singleReads = new Map<Target, number>();
  private unreported: Target[] = [];
  /** The contracts that returned data: if all others fail, the node is the cause and not a contract. */
  private readonly answered = new Set<Target>();

  /** The contracts of which one read alone has failed, in batches of one function. */
  private readonly inDoubt = new Set<Target>();

  /** @param isOneFunction whether nothing but one function is read, so that no other contract can show that the node is healthy */
  constructor(private readonly isOneFunction: boolean) {}

  add(contract: Target, evidence: MisbehaviorEvidence): void {
    if (this.isOneFunction && !isEvidenceOfFunction(evidence) && !this.isSecondFailure(contract)) return;
    if (!this.evidence.has(contract)) this.unreported.push(contract);
    this.evidence.set(contract, evidence);
  }

  has(contract: Target): boolean {
    return this.evidence.size > 0 && this.evidence.has(contract);
  }

  /** A single failure may come from its argument, or from a moment of the node: unless a second read alone fails, too, all others are read. */
  private isSecondFailure(contract: Target): boolean {
    if (this.answered.has(contract)) return false;
    const isSecond = this.inDoubt.has(contract);
    this.inDoubt.add(contract);
    return isSecond;
  }

  isInDoubt(contract: Target): boolean {
    return this.inDoubt.has(contract) && !this.has(contract) && !this.answered.has(contract);
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

  /** Reserves up to `wanted` single reads: other reads of a misbehaving contract may well succeed. @returns the number that may be sent */
  reserveSingleReads(contract: Target, wanted: number): number {
    if (this.evidence.get(contract) === 'execution_timeout') return 0;
    const used = this.singleReads.get(contract) ?? 0;
    const granted = Math.min(wanted, MAX_SINGLE_READS - used);
    this.singleReads.set(contract, used + granted);
    return granted;
  }

  recordResult(contract: Target, result: CallResult | undefined): void {
    // A node that tells codes need not execute calls.
    if (result?.kind === 'data' && contract !== accountCodeTarget) this.answered.add(contract);
  }

  /**
   * The newly detected contracts, each once, and none before it is known that the node is healthy: it told the too long answer, or data of
   * another contract.
   */
  takeConfirmed(): EvmAddress[] {
    if (this.unreported.length === 0) return [];
    const isNodeHealthy = this.isOneFunction || [...this.answered].some((contract) => !this.has(contract));
    const isConfirmed = (contract: Target) =>
      isNodeHealthy || this.evidence.get(contract) === 'answer_too_long';
    const confirmed = this.unreported.filter(isConfirmed);
    this.unreported = this.unreported.filter((contract) => !isConfirmed(contract));
    return confirmed.filter(isChosenContract);
  }
}
