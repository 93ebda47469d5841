import { type CallResult, toUnavailableResult } from '../../reads/read-result.js';
import type { FailoverClient } from '../../call/failover-client.js';
import type { PendingRead } from '../fair-read-queue.js';
import type { OnResults } from '../read-batcher.js';
import { isRefusedByLiveNode, RpcNodeError } from '../../node/rpc-node-error.js';
import { splitByTenant } from '../split-reads.js';
import { toChunks } from '../../node/json-rpc-batch-client.js';
import type { SolanaNodeClient } from '../../node/solana/solana-node-client.js';
import { type SolanaCall, TOO_MANY_ACCOUNTS } from '../../reads/solana/solana-read.js';

/** Concurrent reads of calls that one node could not answer. */
const MAX_SINGLE_READS = 8;
/** Requests that splitting one batch may cost. */
const MAX_BATCH_ATTEMPTS = 32;

/** Calls whose results have no bound: a list that is too long for a response stays so. */
const LISTS: readonly SolanaCall['kind'][] = ['single_units', 'core_assets'];
const TOO_LONG_LIST: CallResult = { kind: 'data', data: TOO_MANY_ACCOUNTS };

interface SolanaBatchOptions {
  readonly nodes: FailoverClient<SolanaNodeClient>;
  readonly signal: AbortSignal;
  /** Results of earlier slots do not count. */
  readonly minSlot: bigint | undefined;
  /** Called for each call that makes a batch of others fail, or that no node answers. */
  readonly onFailingCall: (call: SolanaCall) => void;
  /** Called with each result once, as soon as it is known. */
  readonly onResults: OnResults;
}

/**
 * Reads a list of distinct calls as one batch. A batch that is too large or too slow is split, by tenant first, until the
 * call that causes it is found; a call that one node cannot answer is sent to the others alone. Never rejects for a node's
 * failure: that becomes the result of the call.
 */
export async function readSolanaBatch(
  reads: readonly PendingRead<SolanaCall>[],
  options: SolanaBatchOptions,
): Promise<void> {
  await new BatchReader(reads, options).read(Array.from(reads.keys()));
}

class BatchReader {
  private attempts = 0;

  constructor(
    private readonly reads: readonly PendingRead<SolanaCall>[],
    private readonly options: SolanaBatchOptions,
  ) {}

  /** @param part positions of calls */
  async read(part: readonly number[]): Promise<void> {
    this.attempts += 1;
    const { nodes, signal, minSlot, onResults } = this.options;
    const calls = part.map((index) => this.getCall(index));
    try {
      const results = await nodes.request((node) => node.request(calls, { signal, minSlot }), signal);
      const answered = part.filter((_, position) => results[position] !== undefined);
      onResults(
        answered,
        results.filter((result) => result !== undefined),
      );
      const unanswered = part.filter((_, position) => results[position] === undefined);
      for (const chunk of toChunks(unanswered, MAX_SINGLE_READS))
        await Promise.all(chunk.map((index) => this.readAlone(index)));
    } catch (error) {
      if (!(error instanceof RpcNodeError)) throw error;
      await this.handleFailure(part, error);
    }
  }

  private async handleFailure(part: readonly number[], error: RpcNodeError): Promise<void> {
    const isSplittable =
      error.kind === 'too_heavy' || error.details.timedOut === true || isRefusedByLiveNode(error);
    if (!isSplittable || part.length === 1 || this.attempts >= MAX_BATCH_ATTEMPTS) {
      if (isSplittable && part.length === 1) this.report(part);
      const isTooLong = error.kind === 'too_heavy' && error.details.timedOut !== true;
      if (isTooLong && this.isOwnedList(part)) this.options.onResults(part, [TOO_LONG_LIST]);
      else this.fail(part, error);
      return;
    }
    const middle = Math.ceil(part.length / 2);
    const parts = splitByTenant(this.reads, part) ?? [part.slice(0, middle), part.slice(middle)];
    await Promise.all(parts.map((smaller) => this.read(smaller)));
  }

  /** Asks one node after the other. */
  private async readAlone(index: number): Promise<void> {
    const { nodes, signal, minSlot, onResults } = this.options;
    const call = this.getCall(index);
    const asked = new Set<SolanaNodeClient>();
    const readFrom = async (node: SolanaNodeClient): Promise<CallResult> => {
      const [result] = asked.has(node) ? [] : await node.request([call], { signal, minSlot });
      asked.add(node);
      if (result) return result;
      throw new RpcNodeError('unavailable', 'the node cannot answer this request', { excluded: true });
    };
    try {
      onResults([index], [await nodes.request(readFrom, signal)]);
    } catch (error) {
      if (!(error instanceof RpcNodeError)) throw error;
      if (!error.details.blockMissing) this.report([index]);
      this.fail([index], error);
    }
  }

  private isOwnedList([index, second]: readonly number[]): boolean {
    return index !== undefined && second === undefined && LISTS.includes(this.getCall(index).kind);
  }

  private report(part: readonly number[]): void {
    for (const index of part) this.options.onFailingCall(this.getCall(index));
  }

  private fail(part: readonly number[], error: RpcNodeError): void {
    const result = toUnavailableResult(error, this.options.minSlot);
    this.options.onResults(
      part,
      part.map(() => result),
    );
  }

  private getCall(index: number): SolanaCall {
    const read = this.reads[index];
    if (!read) throw new RangeError(`no call ${index}`);
    return read.call;
  }
}
