import { Injectable } from '@nestjs/common';
import { SmartAccountsService } from '../custody/accounts/smart-accounts.service.js';
import type { SolanaTransactionDryRun } from './solana-dry-run.dto.js';
import type { PlatformTokenRequest } from '../owners/platform-user.js';
import { PlatformUsersService } from '../owners/platform-users.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import { TokenAudienceService } from '../custody/token-audience/token-audience.service.js';
import type { SolanaNetwork } from './messages/solana-network.js';
import {
  SubmitTransactionService,
  type TransactionSubmission,
} from './transactions/submit-transaction.service.js';
import base58 from 'bs58';
import { waitForOutcome } from '../states/wait-for-outcome.js';
import { SolanaNodesService } from './nodes/solana-nodes.service.js';
import { solanaTransactionNotFound } from './solana.errors.js';
import {
  SolanaTransactionRepository,
  type TransactionOutcome,
} from './transactions/solana-transaction.repository.js';

interface TransactionRequest {
  readonly network: SolanaNetwork;
  readonly accountId: string;
  /** Base64 or base58. */
  readonly signature: string;
}

type TransactionStatus =
  | { readonly isPending: true; readonly state: TransactionOutcome['state'] }
  /**
   * The transaction as getTransaction of a node answers it; `state` and `reason` of a transaction that has expired;
   * `state`, `slot` and `meta.err` of a finalized one that nodes did not have.
   */
  | { readonly isPending: false; readonly response: Readonly<Record<string, unknown>> };

/** The outcome of a transaction of an account. */
@Injectable()
export class TransactionResponseService {
  constructor(
    private readonly transactions: SolanaTransactionRepository,
    private readonly nodes: SolanaNodesService,
  ) {}

  /**
   * Loads a transaction of an account once it is included or has expired, or as it is after `waitMs`.
   * @throws AppError 404 for an unknown transaction and one of another account
   */
  async load(
    request: TransactionRequest,
    options: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<TransactionStatus> {
    return waitForOutcome(
      () => this.loadNow(request),
      (status) => status.isPending,
      options,
    );
  }

  private async loadNow({ network, accountId, signature }: TransactionRequest): Promise<TransactionStatus> {
    const text = toBase58(signature);
    const outcome = await this.transactions.findOutcome({ accountId, network, signature: text });
    if (!outcome) throw solanaTransactionNotFound();
    const { state, reason, slot, err, response } = outcome;
    if (response) return { isPending: false, response };
    if (state === 'final' || state === 'reverted')
      return { isPending: false, response: { state, reason, slot: Number(slot), meta: { err } } };
    if (state === 'expired') return { isPending: false, response: { state, reason, slot: null, meta: null } };
    const included =
      state === 'included'
        ? await this.nodes.find(network, (node) => node.getTransaction(text, 'confirmed'))
        : null;
    return included ? { isPending: false, response: included } : { isPending: true, state };
  }
}

/** 64 bytes in padded base64 have 88 characters of which the last two are `==`, which base58 does not have. */
const toBase58 = (signature: string): string =>
  signature.length === 88 && signature.endsWith('==')
    ? base58.encode(Buffer.from(signature, 'base64'))
    : signature;

/** Solana transactions of the accounts of platform users, who prove themselves with a token. */
@Injectable()
export class UserSolanaTransactionsService {
  constructor(
    private readonly users: PlatformUsersService,
    private readonly audience: TokenAudienceService,
    private readonly accounts: SmartAccountsService,
    private readonly submission: SubmitTransactionService,
    private readonly responses: TransactionResponseService,
    private readonly policies: PoliciesService,
  ) {}

  async submit(
    token: PlatformTokenRequest,
    request: Omit<TransactionSubmission, 'clientId' | 'account'>,
  ): Promise<{ txSignature: string } | SolanaTransactionDryRun> {
    const user = await this.audience.loadForSigning(token);
    const { id, solanaAddresses } = await (request.dryRun
      ? this.accounts.loadStored(user)
      : this.accounts.load(user));
    const { clientId } = token;
    const { idempotencyKey, network } = request;
    const account = { id, address: solanaAddresses[network] };
    return this.submission.submit({ ...request, clientId, account }, () =>
      this.policies.checkSolana({ clientId, idempotencyKey }, network),
    );
  }

  async load(
    token: PlatformTokenRequest,
    transaction: { network: SolanaNetwork; signature: string },
    options: { waitMs: number; signal: AbortSignal },
  ): Promise<TransactionStatus> {
    const { id: accountId } = await this.accounts.load(await this.users.load(token));
    return this.responses.load({ ...transaction, accountId }, options);
  }
}
