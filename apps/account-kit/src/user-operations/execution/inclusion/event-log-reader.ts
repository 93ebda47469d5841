import { type BlockSpan, LogRange } from '@app/chain/evm';
import { SECOND_MS } from '@app/common';
import type { Address, Hex, PublicClient, RpcLog } from 'viem';
import { numberToHex } from 'viem/utils';

const MAX_BLOCKS = 1_000n;
/** Requests for logs of one turn, without refused ones: a loop that also sends operations waits for them. */
const MAX_REQUESTS = 16;
const MAX_TURN_MS = 2 * SECOND_MS;

/** How much one turn of a search may ask of a node. What is left is asked in the next turn. */
export class SearchBudget {
  private requests = 0;
  private readonly endsAt = performance.now() + MAX_TURN_MS;

  get isSpent(): boolean {
    return this.requests >= MAX_REQUESTS || performance.now() > this.endsAt;
  }

  spend(): void {
    this.requests += 1;
  }
}

interface LogFilter {
  readonly address: Address | readonly Address[];
  readonly topics: readonly (Hex | readonly Hex[] | null)[];
}

interface ReadOptions {
  readonly budget: SearchBudget;
  /** Reads the newest blocks of the span instead of its oldest ones. */
  readonly backwards?: boolean;
}

/** Reads logs in ranges that are as long as each node serves. */
export class EventLogReader {
  private readonly ranges = new WeakMap<PublicClient, LogRange>();

  /** @returns the logs, and the part of the span that they are of */
  async read(
    client: PublicClient,
    filter: LogFilter,
    span: BlockSpan,
    { budget, backwards = false }: ReadOptions,
  ): Promise<BlockSpan & { readonly logs: readonly RpcLog[] }> {
    const range = this.ranges.get(client) ?? new LogRange(MAX_BLOCKS);
    this.ranges.set(client, range);
    budget.spend();
    const { answer, fromBlock, toBlock } = await range.read(
      span,
      (asked) =>
        client.request({
          method: 'eth_getLogs',
          params: [
            {
              address: filter.address as Address,
              topics: filter.topics as Hex[],
              fromBlock: numberToHex(asked.fromBlock),
              toBlock: numberToHex(asked.toBlock),
            },
          ],
        }),
      { backwards },
    );
    return { fromBlock, toBlock, logs: answer };
  }
}
