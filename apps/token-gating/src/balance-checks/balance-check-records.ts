import type { Principal } from '@app/auth';
import { PageTokens } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { BalanceCheckAccess } from './balance-check-access.js';
import { BALANCE_CHECK_COLUMNS, balanceCheckRecord } from './balance-check-record.js';
import type { BalanceCheck, BalanceCheckPage, BalanceCheckParams } from './balance-check.dto.js';
import { balanceCheckNotFound } from './balance-check.errors.js';

const FIND = `
  SELECT ${BALANCE_CHECK_COLUMNS} FROM token_gating.balance_checks WHERE community_id = $1 AND id = $2`;

/** Newest first. The sort key as text: a Date would lose its microseconds. */
const LIST = `
  SELECT ${BALANCE_CHECK_COLUMNS}, created_at::text AS "createdAt" FROM token_gating.balance_checks
  WHERE community_id = $1 AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4::uuid))
  ORDER BY created_at DESC, id DESC LIMIT $2`;

const DEFAULT_LIMIT = 25;

const records = z.array(balanceCheckRecord);
const sortedRecords = z.array(balanceCheckRecord.extend({ createdAt: z.string() }));

export interface PageWish {
  limit?: number | undefined;
  paginationToken?: string | undefined;
}

/** What those who run a community see of its checks. */
@Injectable()
export class BalanceCheckRecords {
  constructor(
    private readonly access: BalanceCheckAccess,
    private readonly database: Database,
    private readonly pages: PageTokens,
  ) {}

  /** @throws AppError 404 */
  async find(principal: Principal, { communityId, id }: BalanceCheckParams): Promise<BalanceCheck> {
    await this.access.mayLookUp(principal, communityId);
    // Any text may be asked for; only a UUID can be there.
    if (!z.uuid().safeParse(id).success) throw balanceCheckNotFound();
    const [check] = records.parse(await this.database.query(FIND, [communityId, id]));
    if (!check) throw balanceCheckNotFound();
    return check;
  }

  /** @throws AppError 404, 400 for a token of another list */
  async list(
    principal: Principal,
    communityId: string,
    { limit = DEFAULT_LIMIT, paginationToken }: PageWish,
  ): Promise<BalanceCheckPage> {
    await this.access.mayLookUp(principal, communityId);
    const list = { list: `balance-checks/${communityId}`, caller: callerOf(principal) };
    const [createdAt = null, id = null] = this.pages.read(list, paginationToken) ?? [];
    const parameters = [communityId, limit + 1, createdAt, id];
    const found = sortedRecords.parse(await this.database.query(LIST, parameters));
    const items = found.slice(0, limit);
    const last = items.at(-1);
    if (found.length <= limit || !last) return { items };
    return { items, paginationToken: this.pages.write(list, [last.createdAt, last.id]) };
  }
}

/** Whose view of the list a page belongs to. */
function callerOf(principal: Principal): string {
  if (principal.kind !== 'caller') return principal.kind;
  return principal.user?.id ?? principal.client?.id ?? principal.kind;
}
