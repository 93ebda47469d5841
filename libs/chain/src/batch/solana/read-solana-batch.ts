import { type CallResult, toUnavailableResult } from '../../reads/read-result.js';
import type { FailoverClient } from '../../call/failover-client.js';
import type { PendingRead } from '../fair-read-queue.js';
import type { ReadBatch } from '../read-batcher.js';
import { isRefusedByLiveNode, RpcNodeError } from '../../node/rpc-node-error.js';
import { splitByTenant, splitInHalves } from '../split-reads.js';
import { toChunks } from '../../node/json-rpc-batch-client.js';
import type { SolanaNodeClient } from '../../node/solana/solana-node-client.js';
import { type SolanaCall, toCallTarget, TOO_MANY_ACCOUNTS } from '../../reads/solana/solana-read.js';

/** Concurrent reads of calls that one node could not answer. */
const MAX_SINGLE_READS = 8;
/** Requests that splitting one batch may cost. */
const MAX_BATCH_ATTEMPTS = 32;

/** Calls whose results have no bound: a list that is too long for a response stays so. */
const LISTS: readonly SolanaCall['kind'][] = ['single_units', 'core_assets'];
const TOO_LONG_LIST: CallResult = { kind: 'data', data: TOO_MANY_ACCOUNTS };

type Nodes = FailoverClient<SolanaNodeClient>;
/** Some reads of a batch. */
type Part = readonly PendingRead<SolanaCall>[];

/**
 * Reads a batch of distinct calls. A batch that is too large or too slow is split, by tenant first, until the call that
 * causes it is found, and a call that one node cannot answer is sent to the others alone. Calls that make a batch fail, or
 * that no node answers, go into quarantine. Never rejects for a node's failure: that becomes the result of the call.
 */
export async function readSolanaBatch(batch: ReadBatch<SolanaCall>, nodes: Nodes): Promise<void> {
  await new BatchReader(batch, nodes).read(batch.reads);
}

class BatchReader {
  private attempts = 0;

  constructor(
    private readonly batch: ReadBatch<SolanaCall>,
    private readonly nodes: Nodes,
  ) {}

  async read(part: Part): Promise<void> {
    this.attempts += 1;
    const { signal, block: minSlot } = this.batch;
    const calls = part.map(({ call }) => call);
    try {
      const results = await this.nodes.request((node) => node.request(calls, { signal, minSlot }), signal);
      const isAnswered = (_: unknown, index: number): boolean => results[index] !== undefined;
      this.batch.settle(
        part.filter(isAnswered),
        results.filter((result) => result !== undefined),
      );
      const unanswered = part.filter((_, index) => !isAnswered(_, index));
      for (const chunk of toChunks(unanswered, MAX_SINGLE_READS))
        await Promise.all(chunk.map((read) => this.readAlone(read)));
    } catch (error) {
      if (!(error instanceof RpcNodeError)) throw error;
      await this.handleFailure(part, error);
    }
  }

  private async handleFailure(part: Part, error: RpcNodeError): Promise<void> {
    const isSplittable =
      error.kind === 'too_heavy' || error.details.timedOut === true || isRefusedByLiveNode(error);
    if (isSplittable && part.length > 1 && this.attempts < MAX_BATCH_ATTEMPTS) {
      const parts = splitByTenant(part) ?? splitInHalves(part);
      await Promise.all(parts.map((smaller) => this.read(smaller)));
      return;
    }
    const [only, second] = part;
    const single = second ? undefined : only;
    if (isSplittable && single) this.quarantine(single);
    const isTooLong = error.kind === 'too_heavy' && error.details.timedOut !== true;
    if (isTooLong && single && LISTS.includes(single.call.kind)) this.batch.settle(part, [TOO_LONG_LIST]);
    else this.fail(part, error);
  }

  /** Asks one node after the other. */
  private async readAlone(read: PendingRead<SolanaCall>): Promise<void> {
    const { signal, block: minSlot } = this.batch;
    const asked = new Set<SolanaNodeClient>();
    const readFrom = async (node: SolanaNodeClient): Promise<CallResult> => {
      const [result] = asked.has(node) ? [] : await node.request([read.call], { signal, minSlot });
      asked.add(node);
      if (result) return result;
      throw new RpcNodeError('unavailable', 'the node cannot answer this request', { excluded: true });
    };
    try {
      this.batch.settle([read], [await this.nodes.request(readFrom, signal)]);
    } catch (error) {
      if (!(error instanceof RpcNodeError)) throw error;
      if (!error.details.blockMissing) this.quarantine(read);
      this.fail([read], error);
    }
  }

  private quarantine({ call }: PendingRead<SolanaCall>): void {
    this.batch.quarantine(toCallTarget(call));
  }

  private fail(part: Part, error: RpcNodeError): void {
    const result = toUnavailableResult(error, this.batch.block);
    this.batch.settle(part, Array<CallResult>(part.length).fill(result));
  }
}
