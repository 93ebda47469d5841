import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { PaginationService } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { BalanceCheckAccessService } from './balance-check-access.service.js';
import { BALANCE_CHECK_COLUMNS, balanceCheckRecord } from './balance-check-record.js';
import type { BalanceCheck, BalanceCheckPage, BalanceCheckParams } from './balance-check.dto.js';
import { balanceCheckNotFound } from './balance-check.errors.js';

const FIND = `
  SELECT ${BALANCE_CHECK_COLUMNS} FROM token_gating.balance_checks WHERE community_id = $1 AND id = $2`;

/** The time as text: a Date would lose its microseconds. */
const LIST = `
  SELECT ${BALANCE_CHECK_COLUMNS}, created_at::text AS "createdAt" FROM token_gating.balance_checks
  WHERE community_id = $1 AND (created_at, id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::uuid, $5))
  ORDER BY created_at DESC, id DESC LIMIT $2`;

const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const records = z.array(balanceCheckRecord);
const sortedRecords = z.array(balanceCheckRecord.extend({ createdAt: z.string() }));

/** What those who run a community see of its checks. */
@Injectable()
export class BalanceChecksService {
  constructor(
    private readonly access: BalanceCheckAccessService,
    private readonly database: Database,
    private readonly pages: PaginationService,
  ) {}

  /** @throws AppError 404 */
  async find(principal: Principal, { communityId, id }: BalanceCheckParams): Promise<BalanceCheck> {
    await this.access.checkCanView(principal, communityId);
    // Any text may be asked for; only a UUID can be there.
    if (!z.uuid().safeParse(id).success) throw balanceCheckNotFound();
    const [check] = records.parse(await this.database.query(FIND, [communityId, id]));
    if (!check) throw balanceCheckNotFound();
    return check;
  }

  /** The newest first. @throws AppError 404, 400 for a token of another list */
  async list(principal: Principal, communityId: string, query: PageQuery): Promise<BalanceCheckPage> {
    await this.access.checkCanView(principal, communityId);
    return this.pages.paginate({
      list: `balance-checks/${communityId}`,
      principal: principal,
      query,
      load: async ({ after: [createdAt, id] = [], rowLimit }) => {
        const parameters = [communityId, rowLimit, createdAt ?? null, id ?? null, HIGHEST_ID];
        return sortedRecords.parse(await this.database.query(LIST, parameters));
      },
      toSortKey: ({ createdAt, id }) => [createdAt, id],
    });
  }
}
