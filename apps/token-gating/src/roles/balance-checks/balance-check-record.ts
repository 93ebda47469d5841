import { z } from 'zod';
import { balanceCheck } from './balance-check.dto.js';

/** Columns of token_gating.balance_checks as callers see them. */
export const BALANCE_CHECK_COLUMNS = `id, community_id AS "communityId", reason, state, total, done, changed, failed,
  created_at AS "createdTime", finished_at AS "finishedTime"`;

const isoTime = z.date().transform((date) => date.toISOString());

export const balanceCheckRecord = balanceCheck.extend({
  createdTime: isoTime,
  finishedTime: isoTime.nullable().transform((time) => time ?? undefined),
});
