import { Database } from '@app/database';
import { BackendWatch } from '@app/queues';
import type { SweepStep } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Announcements } from '../announcements.js';
import { AsyncCheckConfig } from '../async-check.config.js';
import { checkResult } from '../async-check.js';
import { MOST_ROWS } from './most-rows.js';

const UNREPLIED = `
  SELECT id, result FROM token_gating.checks
  WHERE reply AND replied_at IS NULL AND result IS NOT NULL AND done_at <= now() - $1 * interval '1 ms'
  ORDER BY done_at LIMIT $2`;

const lateReplies = z.array(z.object({ id: z.string(), result: checkResult }));

/** Finds results that did not get onto the results queue, and puts them there. */
@Injectable()
export class ReplyLate implements SweepStep {
  readonly name = 'reply late';

  constructor(
    private readonly config: AsyncCheckConfig,
    private readonly database: Database,
    private readonly watch: BackendWatch,
    private readonly announcements: Announcements,
  ) {}

  async sweep(): Promise<boolean> {
    if (!this.watch.isUsable) return false;
    const { SWEEP_AFTER_MS } = this.config;
    const rows = lateReplies.parse(await this.database.query(UNREPLIED, [SWEEP_AFTER_MS, MOST_ROWS]));
    if (rows.length > 0) await this.announcements.reply(rows);
    return rows.length === MOST_ROWS;
  }
}
