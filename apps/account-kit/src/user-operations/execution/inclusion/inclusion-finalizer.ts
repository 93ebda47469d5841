import { MINUTE_MS, SECOND_MS } from '@app/common';
import type { Database } from '@app/database';
import { ItemFailures } from '@app/service';
import type { Logger } from 'pino';
import { formatLog, type Hex, type PublicClient } from 'viem';
import { encodeEventTopics, numberToHex, parseEventLogs } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../../evm/accounts/account-contracts.js';
import type { ChainNode } from '../../../evm/nodes/chain-node.js';
import { USER_OPERATION_EVENT } from '../../../evm/operations/parse-user-operation-events.js';
import type { Head } from '../transactions/transaction-fees.js';
import {
  findIncluded,
  findInclusionBlocks,
  findRecorded,
  type IncludedOperation,
  type InclusionBlock,
  type TrackedOperation,
} from '../operation-queue.queries.js';
import type { OperationStateRepository } from '../operation-state.repository.js';

interface ComparedBlocks {
  /** The blocks that are still part of the chain. */
  readonly kept: readonly InclusionBlock[];
  /** The chain has other blocks at their heights. */
  readonly removed: readonly InclusionBlock[];
}

/**
 * Compares blocks with those of the chain. Of a block that the node does not have nothing is known: it may be behind. A few short
 * answers for each new block cost less than the events of all operations that are not final.
 */
async function compareBlocks(
  client: PublicClient,
  head: Head,
  blocks: readonly InclusionBlock[],
): Promise<ComparedBlocks> {
  const heights = new Set(blocks.map(({ number }) => number));
  const hashes = new Map<bigint, Hex | null>();
  const loadHash = async (height: bigint) => {
    const hash = height === head.number ? head.hash : await findHash(client, height);
    hashes.set(height, hash);
  };
  await Promise.all([...heights].filter((height) => height <= head.number).map(loadHash));
  const known = blocks.filter(({ number }) => hashes.get(number));
  return {
    kept: known.filter(({ number, hash }) => hashes.get(number) === hash),
    removed: known.filter(({ number, hash }) => hashes.get(number) !== hash),
  };
}

async function findHash(client: PublicClient, height: bigint): Promise<Hex | null> {
  const block = await client.request({
    method: 'eth_getBlockByNumber',
    params: [numberToHex(height), false],
  });
  return block?.hash ?? null;
}

/** Hashes in one filter. Nodes accept 1,000. */
export const MAX_HASHES = 200;
/** Operations are sent by the same loop, which waits no longer than this for nodes that answer slowly. */
const MAX_TURN_MS = 2 * SECOND_MS;

interface SettledBlocks {
  /** Operations whose block a reorganisation has removed. */
  readonly removed: readonly TrackedOperation[];
  /** Whether every block that is deep enough was looked at without a failure. */
  readonly isComplete: boolean;
}

/**
 * Makes operations `final` at the confirmation depth. A node that lies can invent an event in a block that the chain has, so the pinned
 * node and the others are asked for the event once more: no more of them may deny the event than confirm it.
 */
export class InclusionFinalizer {
  private readonly failures: ItemFailures;

  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
    private readonly chainId: number,
    private readonly confirmations: number,
    logger: Logger,
  ) {
    this.failures = new ItemFailures(logger, 'an included operation does not become final', {
      maxPauseMs: MINUTE_MS,
    });
  }

  isDeep(head: Pick<Head, 'number'>, blockNumber: bigint): boolean {
    return head.number - blockNumber + 1n >= BigInt(this.confirmations);
  }

  async settle(node: ChainNode): Promise<SettledBlocks> {
    const blocks = await findInclusionBlocks(this.database, this.chainId);
    const { kept, removed } = await compareBlocks(node.client, node.head, blocks);
    const deep = kept.filter(({ number }) => this.isDeep(node.head, number));
    const included = await findRecorded(this.database, this.chainId, deep);
    const end = performance.now() + MAX_TURN_MS;
    let isComplete = true;
    for (const block of deep) {
      if (performance.now() > end) {
        isComplete = false;
        break;
      }
      const ofBlock = included.filter(
        ({ id, blockHash }) => blockHash === block.hash && !this.failures.isPaused(id),
      );
      for (let from = 0; from < ofBlock.length; from += MAX_HASHES)
        if (!(await this.settleTogether(node, block, ofBlock.slice(from, from + MAX_HASHES))))
          isComplete = false;
    }
    return { removed: await findIncluded(this.database, this.chainId, removed), isComplete };
  }

  /** Settles operations of a block together, and each alone if that fails. @returns whether all of them are settled */
  private async settleTogether(
    node: ChainNode,
    block: InclusionBlock,
    operations: readonly IncludedOperation[],
  ): Promise<boolean> {
    try {
      await this.settleSome(node, block, operations);
      for (const { id } of operations) this.failures.forget(id);
      return true;
    } catch {
      // An operation that fails alone is logged with its own reason.
      let isSettled = true;
      for (const operation of operations)
        if (!(await this.failures.guard(operation.id, () => this.settleSome(node, block, [operation]))))
          isSettled = false;
      return isSettled;
    }
  }

  private async settleSome(
    node: ChainNode,
    block: InclusionBlock,
    operations: readonly IncludedOperation[],
  ): Promise<void> {
    const isProven = await createComparison(node.client, block, operations);
    const proven = operations.filter(isProven);
    const denied = operations.filter((operation) => !isProven(operation));
    if (proven.length > 0) {
      await checkConfirmed(node, block, async (client) =>
        proven.every(await createComparison(client, block, proven)),
      );
      await this.states.markFinal(proven);
    }
    if (denied.length === 0) return;
    if (!(await node.hasHead())) throw new Error('the node is behind the block of the operation');
    await checkConfirmed(node, block, async (client) => {
      const isProvenThere = await createComparison(client, block, denied);
      return !denied.some(isProvenThere);
    });
    // Another node had recorded what this one and most others deny: the search finds what the chain has.
    for (const { id, blockHash } of denied) await this.states.markSubmitted(id, blockHash);
  }
}

/** @throws Error */
async function checkConfirmed(
  node: ChainNode,
  block: InclusionBlock,
  confirm: (client: PublicClient) => Promise<boolean>,
): Promise<void> {
  if (!(await node.isSettled(block, confirm)))
    throw new Error('nodes of the chain disagree about the event of the operation');
}

/** Reads the events of operations in a block. @returns whether an operation's event is as it was recorded */
async function createComparison(
  client: PublicClient,
  { hash: blockHash }: InclusionBlock,
  operations: readonly IncludedOperation[],
): Promise<(operation: IncludedOperation) => boolean> {
  const logs = await client.request({
    method: 'eth_getLogs',
    params: [
      {
        address: Object.values(ACCOUNT_CONTRACTS).map(({ entryPoint }) => entryPoint),
        topics: encodeEventTopics({
          abi: [USER_OPERATION_EVENT],
          args: { userOpHash: operations.map(({ hash }) => hash) },
        }) as Hex[],
        blockHash,
      },
    ],
  });
  const events = parseEventLogs({ abi: [USER_OPERATION_EVENT], logs: logs.map((log) => formatLog(log)) });
  return (operation) =>
    events.some(
      ({ args, transactionHash }) =>
        args.userOpHash === operation.hash &&
        transactionHash === operation.transactionHash &&
        args.success === operation.success &&
        args.actualGasCost === operation.actualGasCost &&
        args.actualGasUsed === operation.actualGasUsed,
    );
}
