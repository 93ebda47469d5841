import { createHash, randomUUID } from 'node:crypto';
import { AppError } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { measureTransaction } from '../../limits/measure-transaction.js';
import { toReservations } from '../../limits/cap.js';
import type { SolanaTransactionDryRun } from '../solana-dry-run.dto.js';
import { frozen } from '../../limits/freezes.errors.js';
import { judgeEffects } from '../../policies/rules/judge-effects.js';
import type { Policy } from '../../policies/rules/policy.js';
import { MAX_SIGNING_MS, type RequestDeadline } from '../../request-deadline.js';
import { operationUnavailable } from '../../policies/sponsoring/sponsoring.errors.js';
import { transactionOfOtherAccount } from '../solana.errors.js';
import { SolanaConfig } from '../messages/solana.config.js';
import type { SolanaNetwork } from '../messages/solana-network.js';
import type { SolanaEffects } from '../messages/judgement/sum-effects.js';
import { decodeTransaction } from '../messages/transaction/decode-transaction.js';
import type { SolanaTransaction } from '../messages/transaction/solana-transaction.js';
import {
  type Acceptance,
  AcceptTransactionService,
  bindUnlessBound,
  type BoundTransactionKey,
  findBoundTransaction,
} from './accept-transaction.service.js';
import { JudgeTransactionService } from './judge-transaction.service.js';
import { SignTransactionService } from './sign-transaction.service.js';
import {
  type NewTransaction,
  SolanaTransactionRepository,
  isSigned,
  type StoredTransaction,
} from './solana-transaction.repository.js';
import { TransactionStateRepository } from './transaction-state.repository.js';
import { solanaPolicyForbidden } from '../messages/solana-message.errors.js';
import { type SolanaSponsor, SolanaSponsorConfig } from '../messages/solana-sponsor.config.js';
import { SponsoringService } from '../../policies/sponsoring/sponsoring.service.js';

/** Says whose transactions the sponsor of a network pays for. */
@Injectable()
export class TransactionSponsorService {
  constructor(
    private readonly sponsors: SolanaSponsorConfig,
    private readonly sponsoring: SponsoringService,
  ) {}

  /**
   * The sponsor of the network, also for transactions that name it nowhere.
   * @throws AppError 403 if it is to pay for an application for which it does not
   */
  async find(
    {
      network,
      clientId,
      isSponsored,
    }: { readonly network: SolanaNetwork; readonly clientId: string; readonly isSponsored: boolean },
    { signers }: Pick<SolanaTransaction, 'signers'>,
  ): Promise<SolanaSponsor | undefined> {
    const sponsor = this.sponsors.find(network);
    if (sponsor === undefined || signers[0] !== sponsor.address) return sponsor;
    if (!isSponsored)
      throw solanaPolicyForbidden(
        `the policy of your client application has no sponsor on the network ${network}`,
      );
    await this.sponsoring.checkReverts(clientId);
    return sponsor;
  }
}

interface KeyedTransaction {
  readonly transaction: SolanaTransaction;
  readonly key: BoundTransactionKey | undefined;
}

export interface TransactionSubmission {
  readonly network: SolanaNetwork;
  readonly clientId: string;
  /** The account that signs; `address` is base58. */
  readonly account: { readonly id: string; readonly address: string };
  readonly serializedTransactionBase64: string;
  /** A repeated request with it gets the transaction of the first one; another transaction is refused. */
  readonly idempotencyKey?: string | undefined;
  readonly deadline: RequestDeadline;
  /** Judges as always, and accepts nothing: no key is opened, bound or looked up. */
  readonly dryRun?: boolean | undefined;
}

/** A submission as the present policy judges it. */
export interface TransactionPolicy {
  /** Whether the policy lets the network's sponsor pay the fee. */
  readonly isSponsored: boolean;
  /** Judges what the transaction may take from the account. */
  readonly policy: Policy | 'open';
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

  /**
   * The same transaction again gets the same answer, whatever the policy says by then, if it is signed.
   * @param loadPolicy says by the policy of now what the transaction may do
   * @returns the signature in base58
   */
  async submit(
    submission: TransactionSubmission,
    loadPolicy: () => Promise<TransactionPolicy>,
  ): Promise<{ txSignature: string } | SolanaTransactionDryRun> {
    // Without a key nothing is decoded for an application that may not submit. A key is recognised by the decoded message.
    const policy = submission.idempotencyKey === undefined ? await loadPolicy() : undefined;
    const transaction = decodeTransaction(submission.serializedTransactionBase64);
    const loadOnce = policy === undefined ? loadPolicy : () => Promise.resolve(policy);
    if (submission.dryRun) return this.dryRun(submission, transaction, loadOnce);
    const key = toBoundKey(submission, transaction);
    const bound = await this.findBoundSignature(key);
    if (bound !== undefined) return { txSignature: bound };
    const { signature } = await this.sign(
      await this.acceptOrFind(submission, { transaction, key, loadPolicy: loadOnce }),
    );
    return { txSignature: signature };
  }

  private async dryRun(
    submission: TransactionSubmission,
    transaction: SolanaTransaction,
    loadPolicy: () => Promise<TransactionPolicy>,
  ): Promise<SolanaTransactionDryRun> {
    const judged = await this.judge(submission, { transaction, key: undefined }, loadPolicy);
    const { isStored, caps } = await this.accepting.dryRun(judged);
    if (!isStored) await this.findStored(submission, transaction);
    const { fee, sponsoredFee, lamports } = judged.effects;
    return {
      dryRun: true,
      network: submission.network,
      account: submission.account.address,
      paidBy: judged.row.sponsor === undefined ? 'account' : 'sponsor',
      fee: String(fee + sponsoredFee),
      maxAccountCost: String(lamports),
      caps,
    };
  }

  /** @throws AppError 403 `frozen`, 409 `idempotency_key_conflict` */
  private async findBoundSignature(key: BoundTransactionKey | undefined): Promise<string | undefined> {
    const id = await findBoundTransaction(this.database, key);
    const stored = id === undefined ? undefined : await this.transactions.find(id);
    if (!stored || !isSigned(stored)) return undefined;
    if (await this.transactions.isFrozen(stored.id)) throw frozen();
    return stored.signature;
  }

  /**
   * A transaction that is stored already is looked for only if this one is not accepted: nearly all are new. Without the database the
   * answer is 503, whatever the refusal: that nothing was sent is not true of a transaction which is stored. One that is stored and not
   * signed is signed only if the policy of now allows it.
   */
  private async acceptOrFind(
    submission: TransactionSubmission,
    { transaction, key, loadPolicy }: KeyedTransaction & { loadPolicy: () => Promise<TransactionPolicy> },
  ): Promise<StoredTransaction> {
    const findBound = async () => {
      const stored = await this.findStored(submission, transaction);
      if (stored) await bindUnlessBound(this.database, key, stored.id);
      return stored;
    };
    const accepting = await this.judge(submission, { transaction, key }, loadPolicy).catch(
      async (error: unknown) => {
        const stored = await findBound();
        if (!stored) throw error;
        return isSigned(stored) ? stored : this.refuse(stored, submission, error);
      },
    );
    if (!('row' in accepting)) return accepting;
    try {
      return await this.accept(accepting);
    } catch (error) {
      const stored = await findBound();
      if (!stored) throw error;
      return stored;
    }
  }

  /**
   * A transaction that the policy of now forbids is not signed by another request either, because this caller is told so. The policy of one
   * client application does not end what another one has submitted for the same account.
   */
  private async refuse(
    stored: StoredTransaction,
    { clientId }: TransactionSubmission,
    error: unknown,
  ): Promise<StoredTransaction> {
    if (stored.clientId === clientId && error instanceof AppError && error.statusCode === 403)
      await this.states.markRejected(stored.id, String(error.details['code']));
    const current = await this.transactions.find(stored.id);
    if (!current || !isSigned(current)) throw error;
    return current;
  }

  private async findStored({ network, account }: TransactionSubmission, { message }: SolanaTransaction) {
    const stored = await this.transactions.findByMessage(network, message);
    if (stored && stored.accountId !== account.id) throw transactionOfOtherAccount();
    return stored;
  }

  private async judge(
    submission: TransactionSubmission,
    { transaction, key }: KeyedTransaction,
    loadPolicy: () => Promise<TransactionPolicy>,
  ): Promise<Acceptance & { readonly effects: SolanaEffects }> {
    const { network, clientId, account, deadline } = submission;
    const { policy, isSponsored } = await loadPolicy();
    const { blockHeight, effects, sponsor } = await this.accepting.expectAfter(async () =>
      this.judging.judge(network, transaction, {
        clientId,
        account: account.address,
        sponsor: await this.sponsors.find({ network, clientId, isSponsored }, transaction),
        listedPrograms: this.listedPrograms,
      }),
    );
    if (policy !== 'open') judgeEffects(policy, network, effects);
    const uses = policy === 'open' ? [] : measureTransaction(policy.caps, { network, ...effects });
    const reservations = toReservations(uses, account.id, new Date());
    const id = randomUUID();
    const row = {
      ...{ id, accountId: account.id, clientId, network, transaction, sponsor },
      fee: effects.fee + effects.sponsoredFee,
      acceptedBlockHeight: blockHeight,
      leaseMs: MAX_SIGNING_MS,
      deadline,
    };
    return { row, key, reservations, effects };
  }

  private async accept(acceptance: Acceptance): Promise<StoredTransaction> {
    if (!(await this.accepting.accept(acceptance)))
      throw new Error('the transaction was stored before, or rejected meanwhile');
    return toStored(acceptance.row, { isCapped: acceptance.reservations.length > 0 });
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
  { id, accountId, clientId, network, transaction, acceptedBlockHeight, sponsor }: NewTransaction,
  { isCapped }: { readonly isCapped: boolean },
): StoredTransaction => ({
  ...{ id, accountId, clientId, network, acceptedBlockHeight, isCapped },
  sponsor: sponsor?.address ?? null,
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
