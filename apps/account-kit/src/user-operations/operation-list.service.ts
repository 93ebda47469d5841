import { Database } from '@app/database';
import { invalidInput } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { SmartAccountsService } from '../accounts/smart-accounts.service.js';
import { operationConflict } from '../executors/dead-operations/cancellation.errors.js';
import { CancellationService } from '../executors/dead-operations/cancellation.service.js';
import { ExecutorChainsConfig } from '../executors/executor.config.js';
import { type PlatformTokenRequest, PlatformUsersService } from '../platforms/platform-users.service.js';
import {
  findOperationByHash,
  type ListedOperationRow,
  listOperations,
  type OperationPosition,
} from './operation-list.queries.js';
import type { SubmittedOperation } from './operation-submission.service.js';
import { operationNotFound } from './user-operations.errors.js';
import { findOperation } from './user-operations.queries.js';

export interface OperationPage {
  readonly items: readonly ListedOperationRow[];
  readonly paginationToken: string | undefined;
}

/** What the owners of accounts can see of their operations, and do about them. */
@Injectable()
export class OperationListService {
  constructor(
    private readonly database: Database,
    private readonly users: PlatformUsersService,
    private readonly accounts: SmartAccountsService,
    private readonly cancellations: CancellationService,
    private readonly chains: ExecutorChainsConfig,
  ) {}

  /** @throws AppError 400 for a token of no page */
  async list(
    token: PlatformTokenRequest,
    { limit, paginationToken }: { readonly limit: number; readonly paginationToken: string | undefined },
  ): Promise<OperationPage> {
    const { id } = await this.accounts.load(await this.users.load(token));
    const after = paginationToken === undefined ? undefined : decodePosition(paginationToken);
    const rows = await listOperations(this.database, id, { after, limit: limit + 1 });
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return { items, paginationToken: rows.length > limit && last ? encodePosition(last) : undefined };
  }

  /**
   * Replaces an operation that is not in a transaction by one that does nothing.
   * @returns the operation that takes its nonce
   * @throws AppError 404, 409 `operation_conflict`, 403 `frozen`, 503
   */
  async cancel(token: PlatformTokenRequest, hash: string): Promise<SubmittedOperation> {
    const { id: accountId } = await this.accounts.load(await this.users.loadForSigning(token));
    const original = await findOperationByHash(this.database, accountId, hash);
    if (!original) throw operationNotFound();
    // Bundlers accept no operation without fees.
    if (this.chains.getBundlerUrl(original.chainId) !== undefined)
      throw operationConflict('left to a bundler');
    const id = await this.cancellations.cancel(original.id);
    const cancellation = await findOperation(this.database, id);
    if (!cancellation?.hash) throw new Error('a cancellation that was signed a moment ago has no hash');
    return { id, userOperationHash: cancellation.hash, chainId: original.chainId };
  }
}

const MICROSECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const position = z.tuple([z.iso.datetime().regex(MICROSECONDS), z.uuid()]);

/** Not signed: it holds only what the page showed, and pages are of the caller's own account. */
const encodePosition = ({ acceptedAt, id }: OperationPosition): string =>
  Buffer.from(JSON.stringify([acceptedAt, id])).toString('base64url');

function decodePosition(token: string): OperationPosition {
  const parsed = position.safeParse(parseJson(Buffer.from(token, 'base64url').toString()));
  if (!parsed.success)
    throw invalidInput([
      { code: 'custom', path: ['paginationToken'], message: 'must be of a page', input: undefined },
    ]);
  const [acceptedAt, id] = parsed.data;
  return { acceptedAt, id };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused like another token
  }
}
