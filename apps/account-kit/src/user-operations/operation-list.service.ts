import { Database } from '@app/database';
import { decodePosition, encodePosition } from '@app/service';
import { Injectable } from '@nestjs/common';
import { SmartAccountsService } from '../custody/accounts/smart-accounts.service.js';
import { CancellationService } from './execution/dead-operations/cancellation.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import type { PlatformTokenRequest } from '../owners/platform-user.js';
import { PlatformUsersService } from '../owners/platform-users.service.js';
import { TokenAudienceService } from '../custody/token-audience/token-audience.service.js';
import type { RequestDeadline } from '../request-deadline.js';
import { operationUnavailable } from '../policies/sponsoring/sponsoring.errors.js';
import type { SubmittedOperation } from './operation-submission.service.js';
import { operationNotFound } from './user-operations.errors.js';
import {
  findOperation,
  findOperationByHash,
  type ListedOperationRow,
  listOperations,
} from './user-operations.queries.js';

interface OperationPage {
  readonly items: readonly ListedOperationRow[];
  readonly paginationToken: string | undefined;
}

/** The list of an account's operations, and their cancellation by the owner. */
@Injectable()
export class OperationListService {
  constructor(
    private readonly database: Database,
    private readonly users: PlatformUsersService,
    private readonly audience: TokenAudienceService,
    private readonly accounts: SmartAccountsService,
    private readonly cancellations: CancellationService,
    private readonly policies: PoliciesService,
  ) {}

  /** @throws AppError 400 for a token of no page */
  async list(
    token: PlatformTokenRequest,
    { limit, paginationToken }: { readonly limit: number; readonly paginationToken: string | undefined },
  ): Promise<OperationPage> {
    const { id } = await this.accounts.load(await this.users.load(token));
    const after =
      paginationToken === undefined ? undefined : decodePosition(id, paginationToken, 'paginationToken');
    const rows = await listOperations(this.database, id, { after, limit: limit + 1 });
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    if (rows.length <= limit || !last) return { items, paginationToken: undefined };
    return { items, paginationToken: encodePosition(id, { time: last.acceptedAt, id: last.id }) };
  }

  /**
   * Replaces an operation that is not in a transaction by one that does nothing.
   * @returns the operation that takes its nonce
   * @throws AppError 404, 409 `operation_conflict`, `account_funds_required`, 403 `frozen`, `policy_forbidden`, `policy_limit_exceeded`, 503
   */
  async cancel(
    token: PlatformTokenRequest,
    hash: string,
    deadline: RequestDeadline,
  ): Promise<SubmittedOperation> {
    const { id: accountId } = await this.accounts.load(await this.audience.loadForSigning(token));
    const original = await findOperationByHash(this.database, accountId, hash);
    if (!original) throw operationNotFound();
    const { clientId } = token;
    const { caps } = await this.policies.loadLimits(clientId);
    const id = await this.cancellations.cancel(original.id, { clientId, caps, deadline });
    const cancellation = await findOperation(this.database, id);
    // Another request is about to sign it, or it was rejected meanwhile: the same request again finds it, or makes the next one.
    if (!cancellation?.hash) throw operationUnavailable();
    return { id, userOperationHash: cancellation.hash, chainId: original.chainId };
  }
}
