import { Injectable } from '@nestjs/common';
import type { SmartAccount } from '../custody/accounts/smart-accounts.queries.js';
import { SmartAccountsService } from '../custody/accounts/smart-accounts.service.js';
import type { UserOperationDryRun } from './dry-run.dto.js';
import type { AccountCall } from '../evm/operations/encode-execute.js';
import type { PlatformToken, PlatformTokenRequest } from '../owners/platform-user.js';
import { PlatformUsersService } from '../owners/platform-users.service.js';
import { SponsoringService } from '../policies/sponsoring/sponsoring.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import { TokenAudienceService } from '../custody/token-audience/token-audience.service.js';
import { OperationSubmissionService, type SubmittedOperation } from './operation-submission.service.js';
import type { RequestDeadline } from '../request-deadline.js';
import { type OperationReceiptRow, findReceipt } from './user-operations.queries.js';
import { Database } from '@app/database';
import { waitForOutcome } from '../states/wait-for-outcome.js';
import { operationNotFound } from './user-operations.errors.js';
import type { OperationState } from '@app/dto';

/** The operation may still be included; `included` itself has a receipt. */
const PENDING_STATES: readonly OperationState[] = ['accepted', 'signed', 'submitted', 'stuck'];

export const isPending = ({ state }: Pick<OperationReceiptRow, 'state'>): boolean =>
  PENDING_STATES.includes(state);

/** Receipts of user operations. */
@Injectable()
export class OperationReceiptsService {
  constructor(private readonly database: Database) {}

  /**
   * Loads an operation of an account once it is included or has failed, or as it is after `waitMs`.
   * @throws AppError 404 for unknown operations and those of other accounts
   */
  async load(
    operation: { accountId: string; chainId: number; hash: string },
    options: { waitMs: number; signal: AbortSignal },
  ): Promise<OperationReceiptRow> {
    const load = async () => {
      const row = await findReceipt(this.database, operation);
      if (row === undefined) throw operationNotFound();
      return row;
    };
    return waitForOutcome(load, isPending, options);
  }
}

/** The account and the chain of an operation, and who submits it. */
export interface OperationTarget {
  readonly token: PlatformToken;
  readonly clientId: string;
  readonly chainId: number;
  readonly idempotencyKey: string | undefined;
  readonly deadline: RequestDeadline;
  /** Whether only what the operation would do is asked for. */
  readonly dryRun?: boolean | undefined;
}

/** User operations of the accounts of platform users, who prove themselves with a token. */
@Injectable()
export class UserOperationsService {
  constructor(
    private readonly users: PlatformUsersService,
    private readonly audience: TokenAudienceService,
    private readonly accounts: SmartAccountsService,
    private readonly submission: OperationSubmissionService,
    private readonly receipts: OperationReceiptsService,
    private readonly policies: PoliciesService,
    private readonly sponsoring: SponsoringService,
  ) {}

  async submitCalls(
    target: OperationTarget & { readonly nonceKey: bigint },
    calls: readonly AccountCall[],
  ): Promise<SubmittedOperation | UserOperationDryRun> {
    const { clientId, chainId, nonceKey, idempotencyKey, deadline } = target;
    const account = await this.loadAccount(target);
    const content = calls.map(({ target: address, value, data }) => [
      address,
      String(value),
      data.toLowerCase(),
    ]);
    return this.submission.submit(
      {
        account,
        clientId,
        kind: 'call',
        chainId,
        nonceKey,
        createCalls: () => calls,
        content,
        deadline,
      },
      target,
      async () => {
        const caller = { clientId, chainId, idempotencyKey, account: account.evmAddress };
        const { isSponsored, limits } = await this.policies.checkCalls(caller, calls);
        const paymaster = isSponsored
          ? await this.sponsoring.findPaymaster({ clientId, chainId, account })
          : undefined;
        return { limits, paymaster };
      },
    );
  }

  /** The account of a user who may sign with it now. @throws AppError 404 for a dry run of an account that does not exist yet */
  async loadAccount({
    token,
    clientId,
    dryRun,
  }: Pick<OperationTarget, 'token' | 'clientId' | 'dryRun'>): Promise<SmartAccount> {
    const user = await this.audience.loadForSigning({ ...token, clientId });
    return dryRun ? this.accounts.loadStored(user) : this.accounts.load(user);
  }

  async loadReceipt(
    token: PlatformTokenRequest,
    { chainId, hash }: { chainId: number; hash: string },
    options: { waitMs: number; signal: AbortSignal },
  ): Promise<OperationReceiptRow> {
    const { id: accountId } = await this.accounts.load(await this.users.load(token));
    return this.receipts.load({ accountId, chainId, hash }, options);
  }
}
