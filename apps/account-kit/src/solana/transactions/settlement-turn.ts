import { formatErrorReason, SECOND_MS } from '@app/common';
import type { Logger } from 'pino';
import type { SignatureStatus } from '../nodes/solana-node.js';
import type { SolanaNetwork } from '../messages/solana-network.js';
import type { SignedTransaction, StoredTransaction } from './solana-transaction.repository.js';

/** Blocks for which a blockhash is valid (`MAX_PROCESSING_AGE` of Solana's runtime). */
export const MAX_BLOCKHASH_AGE = 150n;
/** Transactions whose last state is looked for at the same time. */
export const MAX_TOGETHER = 16;
/** Work that takes longer than one turn is left to a later turn. */
const MAX_TURN_MS = 10 * SECOND_MS;

/** Knowledge of one turn, in which some transactions of a network are worked on. */
export class SettlementTurn {
  /** Why transactions wait, by id. */
  readonly failed = new Map<string, unknown>();
  private readonly endsAt = performance.now() + MAX_TURN_MS;

  /** @param finalizedHeight undefined if no node tells it */
  constructor(
    readonly network: SolanaNetwork,
    readonly finalizedHeight: bigint | undefined,
    private readonly logger: Logger,
  ) {}

  get isOver(): boolean {
    return performance.now() >= this.endsAt;
  }

  /** Whether the blockhash of a transaction is not valid any more in the finalized state. */
  isOld({ acceptedBlockHeight }: StoredTransaction): boolean {
    return (
      this.finalizedHeight !== undefined && this.finalizedHeight > acceptedBlockHeight + MAX_BLOCKHASH_AGE
    );
  }

  /** Works on each transaction, at the same time. A transaction that fails is left for later, and does not hold up the others. */
  async forEach<T extends StoredTransaction>(
    transactions: readonly T[],
    work: (transaction: T) => Promise<void>,
  ): Promise<void> {
    await Promise.all(
      transactions.map((transaction) =>
        work(transaction).catch((error: unknown) => {
          this.failed.set(transaction.id, error);
        }),
      ),
    );
  }

  /** Works on transactions together, and on each alone if that fails. */
  async together<T extends OfTransaction>(
    items: readonly T[],
    work: (items: readonly T[]) => Promise<void>,
  ): Promise<void> {
    if (items.length === 0) return;
    try {
      await work(items);
    } catch (error) {
      const reason = formatErrorReason(error);
      this.logger.warn({ count: items.length, reason }, 'Solana transactions are tried one by one');
      for (const item of items)
        await work([item]).catch((error: unknown) => {
          this.failed.set(item.transaction.id, error);
        });
    }
  }
}

export interface OfTransaction {
  readonly transaction: StoredTransaction;
}

export interface FoundStatus {
  readonly transaction: SignedTransaction;
  /** Null if the node knows no such transaction, undefined if it does not tell. */
  readonly status: SignatureStatus | undefined;
}

type LandingStatus = NonNullable<SignatureStatus>;
export type FoundLanding = LandingStatus & { readonly transaction: SignedTransaction };

/** @returns undefined for a status below `confirmed`, because such a block may still vanish */
export const toLanding = (status: SignatureStatus): LandingStatus | undefined =>
  status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized'
    ? status
    : undefined;

export const toLandings = ({ transaction, status }: FoundStatus): FoundLanding[] => {
  const landing = toLanding(status ?? null);
  return landing ? [{ ...landing, transaction }] : [];
};
