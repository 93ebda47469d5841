import { createHash, randomUUID } from 'node:crypto';
import { AppError } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { measureTransaction } from '../../caps/measure-transaction.js';
import { toReservations } from '../../caps/reservation.js';
import { judgeEffects } from '../../policy-rules/judge-effects.js';
import type { Policy } from '../../policy-rules/policy.js';
import { operationUnavailable } from '../../user-operations/user-operations.errors.js';
import { transactionOfOtherAccount } from '../solana.errors.js';
import { SolanaConfig } from '../../solana-messages/solana.config.js';
import type { SolanaNetwork } from '../solana-network.js';
import { decodeTransaction } from '../../solana-messages/transaction/decode-transaction.js';
import type { SolanaTransaction } from '../../solana-messages/transaction/solana-transaction.js';
import {
  AcceptTransactionService,
  bindUnlessBound,
  type BoundTransactionKey,
  checkKey,
} from './accept-transaction.service.js';
import { type JudgedTransaction, JudgeTransactionService } from './judge-transaction.service.js';
import { SignTransactionService } from './sign-transaction.service.js';
import { type NewTransaction, SolanaTransactionRepository } from './solana-transaction.repository.js';
import { isSigned, type StoredTransaction } from './stored-transaction.js';
import { TransactionStateRepository } from './transaction-state.repository.js';
import { TransactionSponsorService } from './transaction-sponsor.service.js';

/** Time of the request to sign the transaction; the worker rejects it afterwards. */
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

/** Accepts transactions: judges, stores and signs them. They are sent without the request waiting for it. */
@Injectable()
export class SubmitTransactionService {
  private readonly listedPrograms: ReadonlySet<string>;

  constructor(
    private readonly database: Database,
    private readonly transactions: SolanaTransactionRepository,
    private readonly states: TransactionStateRepository,
    private readonly judging: JudgeTransactionService,
    private readonly sponsors: TransactionSponsorService,
    private readonly accepting: AcceptTransactionService,
    private readonly signing: SignTransactionService,
    { SOLANA_PROGRAMS }: SolanaConfig,
  ) {
    this.listedPrograms = new Set(SOLANA_PROGRAMS);
  }

  /** The same transaction again gets the same answer. @returns the signature in base58 */
  async submit(submission: TransactionSubmission): Promise<{ txSignature: string }> {
    const transaction = decodeTransaction(submission.serializedTransactionBase64);
    const key = toBoundKey(submission, transaction);
    await checkKey(this.database, key);
    const { signature } = await this.sign(await this.acceptOrFind(submission, transaction, key));
    return { txSignature: signature };
  }

  /**
   * One that is stored already is looked for only if this is not accepted: nearly all are new. Without the database the answer is 503,
   * whatever the refusal: that nothing was sent is not true of one which is stored.
   */
  private async acceptOrFind(
    submission: TransactionSubmission,
    transaction: SolanaTransaction,
    key: BoundTransactionKey | undefined,
  ): Promise<StoredTransaction> {
    try {
      return await this.accept(submission, transaction, key);
    } catch (error) {
      const stored = await this.findStored(submission, transaction);
      if (!stored) throw error;
      await bindUnlessBound(this.database, key, stored.id);
      return stored;
    }
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
    const { blockHeight, effects, sponsor } = await this.accepting.expectAfter(() =>
      this.judge(submission, transaction),
    );
    if (policy !== 'open') judgeEffects(policy, network, effects);
    const uses = policy === 'open' ? [] : measureTransaction(policy.caps, { network, ...effects });
    const reservations = toReservations(uses, account.id, new Date());
    const id = randomUUID();
    const row = {
      ...{ id, accountId: account.id, clientId, network, transaction, sponsor },
      acceptedBlockHeight: blockHeight,
      leaseMs: SIGN_LEASE_MS,
    };
    if (!(await this.accepting.accept({ row, key, reservations })))
      throw new Error('the transaction was stored before, or rejected meanwhile');
    return toStored(row, { isCapped: reservations.length > 0 });
  }

  private async judge(
    submission: TransactionSubmission,
    transaction: SolanaTransaction,
  ): Promise<JudgedTransaction> {
    return this.judging.judge(submission.network, transaction, {
      account: submission.account.address,
      sponsor: await this.sponsors.find(submission, transaction),
      listedPrograms: this.listedPrograms,
    });
  }

  /** A caller that gets an error may make another transaction, so this one must not be signed later. */
  private async sign(stored: StoredTransaction) {
    try {
      return await this.signing.sign(stored);
    } catch (error) {
      const reason = error instanceof AppError ? String(error.details['code']) : 'signing_failed';
      if (await this.states.markRejected(stored.id, reason)) throw error;
      // A concurrent caller has signed or rejected it meanwhile.
      const current = await this.transactions.find(stored.id);
      if (current && isSigned(current)) return current;
      throw error instanceof AppError ? error : operationUnavailable();
    }
  }
}

/** The row that was just inserted. */
const toStored = (
  { id, accountId, network, transaction, acceptedBlockHeight, sponsor }: NewTransaction,
  { isCapped }: { readonly isCapped: boolean },
): StoredTransaction => ({
  ...{ id, accountId, network, acceptedBlockHeight, isCapped },
  sponsor: sponsor ?? null,
  message: Buffer.from(transaction.message),
  signatures: Buffer.concat(transaction.signatures),
  signature: null,
  blockhash: transaction.blockhash,
  state: 'accepted',
});

/** Identifies what a request asks for: the message fixes everything but the signatures of others. */
function toBoundKey(
  { clientId, account, network, idempotencyKey }: TransactionSubmission,
  { message }: SolanaTransaction,
): BoundTransactionKey | undefined {
  if (idempotencyKey === undefined) return undefined;
  const requestHash = createHash('sha256').update(`solana ${network} `).update(message).digest();
  return { clientId, accountId: account.id, key: idempotencyKey, requestHash };
}
