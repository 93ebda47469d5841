import { createHash, randomUUID } from 'node:crypto';
import { AppError } from '@app/common';
import { Database, type Queryable } from '@app/database';
import { Injectable } from '@nestjs/common';
import { measureTransaction } from '../../caps/measure-transaction.js';
import { toReservations } from '../../caps/reservation.js';
import { lockUnlessFrozen } from '../../freezes/freezes.queries.js';
import { judgeEffects } from '../../policies/judge-effects.js';
import type { Policy } from '../../policies/policy.js';
import { reserveWithinCaps } from '../../policies/reserve-within-caps.js';
import { bindKey, findBoundKey, releaseKeys } from '../../user-operations/idempotency-keys.queries.js';
import { idempotencyKeyConflict } from '../../user-operations/user-operations.errors.js';
import { tooManyUnfinished, transactionOfOtherAccount } from '../solana.errors.js';
import { SolanaConfig } from '../solana.config.js';
import type { SolanaNetwork } from '../solana-network.js';
import { decodeTransaction } from '../../solana-messages/transaction/decode-transaction.js';
import type { SolanaTransaction } from '../../solana-messages/transaction/solana-transaction.js';
import { JudgeTransactionService } from './judge-transaction.service.js';
import { SignTransactionService } from './sign-transaction.service.js';
import { SolanaTransactionRepository } from './solana-transaction.repository.js';
import type { StoredTransaction } from './stored-transaction.js';
import { SignedTransactionNotifier } from './signed-transaction-notifier.js';
import { TransactionSponsorService } from './transaction-sponsor.service.js';

/** An account's share of the worker. */
const MAX_UNFINISHED = 16;
/** Time of the request to sign the transaction; the worker signs it afterwards. */
const SIGN_LEASE_MS = 15_000;

export interface TransactionSubmission {
  readonly network: SolanaNetwork;
  readonly clientId: string;
  /** The account that signs; `address` is base58. */
  readonly account: { readonly id: string; readonly address: string };
  readonly serializedTransactionBase64: string;
  /** Whether the policy lets the network's sponsor pay the fee. */
  readonly isSponsored: boolean;
  /** Judges what the transaction may take from the account. */
  readonly policy: Policy | 'open';
  /** A repeated request with it gets the transaction of the first one; another transaction is refused. */
  readonly idempotencyKey?: string | undefined;
}

/** Accepts transactions: judges, stores and signs them. The worker sends them. */
@Injectable()
export class SubmitTransactionService {
  private readonly listedPrograms: ReadonlySet<string>;

  constructor(
    private readonly database: Database,
    private readonly transactions: SolanaTransactionRepository,
    private readonly judging: JudgeTransactionService,
    private readonly sponsors: TransactionSponsorService,
    private readonly signing: SignTransactionService,
    private readonly notifier: SignedTransactionNotifier,
    { SOLANA_PROGRAMS }: SolanaConfig,
  ) {
    this.listedPrograms = new Set(SOLANA_PROGRAMS);
  }

  /** The same transaction again gets the same answer. @returns the signature in base58 */
  async submit(submission: TransactionSubmission): Promise<{ txSignature: string }> {
    const transaction = decodeTransaction(submission.serializedTransactionBase64);
    const key = toBoundKey(submission, transaction);
    await checkKey(this.database, key);
    const stored =
      (await this.findStored(submission, transaction)) ?? (await this.accept(submission, transaction, key));
    const { signature } = await this.sign(stored);
    this.notifier.notify(stored.id);
    return { txSignature: signature };
  }

  private async findStored({ network, account }: TransactionSubmission, { message }: SolanaTransaction) {
    const stored = await this.transactions.findByMessage(network, message);
    if (stored && stored.accountId !== account.id) throw transactionOfOtherAccount();
    return stored;
  }

  private async accept(
    submission: TransactionSubmission,
    transaction: SolanaTransaction,
    key: BoundTransactionKey | undefined,
  ): Promise<StoredTransaction> {
    const { network, clientId, account, policy } = submission;
    const { blockHeight, effects, sponsor } = await this.judging.judge(network, transaction, {
      account: account.address,
      sponsor: await this.sponsors.find(submission, transaction),
      listedPrograms: this.listedPrograms,
    });
    if (policy !== 'open') judgeEffects(policy, network, effects);
    const uses = policy === 'open' ? [] : measureTransaction(policy.caps, { network, ...effects });
    const reservations = toReservations(uses, account.id, new Date());
    const id = randomUUID();
    const inserted = await this.database.transaction(async (manager) => {
      await lockUnlessFrozen(manager, `solana transactions ${account.id}`, {
        accountId: account.id,
        clientId,
        chain: network,
        paymaster: sponsor,
      });
      if ((await this.transactions.countUnfinished(manager, account.id)) >= MAX_UNFINISHED)
        throw tooManyUnfinished(MAX_UNFINISHED);
      const stored = await this.transactions.insert(manager, {
        id,
        accountId: account.id,
        clientId,
        network,
        transaction,
        acceptedBlockHeight: blockHeight,
        sponsor,
        leaseMs: SIGN_LEASE_MS,
      });
      if (stored && key && !(await bindKey(manager, key, { ...key, operationId: id })))
        await checkKey(manager, key);
      // Last, because transactions of other accounts wait for the counters of an application.
      if (stored) await reserveWithinCaps(manager, { operationId: id, clientId, reservations });
      return stored;
    });
    const stored = inserted ?? (await this.findStored(submission, transaction));
    if (!stored) throw new Error('the transaction was rejected while it was accepted');
    return stored;
  }

  /** A caller that gets an error may make another transaction, so this one must not be signed later. */
  private async sign(stored: StoredTransaction) {
    try {
      return await this.signing.sign(stored);
    } catch (error) {
      const reason = error instanceof AppError ? String(error.details['code']) : 'signing_failed';
      await this.reject(stored.id, reason);
      throw error;
    }
  }

  private async reject(id: string, reason: string): Promise<void> {
    await this.transactions.markRejected(id, reason);
    await releaseKeys(this.database, id);
  }
}

interface BoundTransactionKey {
  readonly clientId: string;
  readonly accountId: string;
  readonly key: string;
  readonly requestHash: Buffer;
}

/** Identifies what a request asks for: the message fixes everything but the signatures of others. */
function toBoundKey(
  { clientId, account, network, idempotencyKey }: TransactionSubmission,
  { message }: SolanaTransaction,
): BoundTransactionKey | undefined {
  if (idempotencyKey === undefined) return undefined;
  const requestHash = createHash('sha256').update(`solana ${network} `).update(message).digest();
  return { clientId, accountId: account.id, key: idempotencyKey, requestHash };
}

/** @throws AppError 409 when the key is bound to another request */
async function checkKey(db: Queryable, key: BoundTransactionKey | undefined): Promise<void> {
  const bound = key && (await findBoundKey(db, key));
  if (bound && !bound.requestHash.equals(key.requestHash)) throw idempotencyKeyConflict();
}
