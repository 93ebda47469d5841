import { Database } from '@app/database';
import { QueueBackendMonitor } from '@app/queues';
import type { SweepTask } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CheckResultPublisher } from './check-result-publisher.js';
import { AsyncCheckConfig, MAX_SWEEP_ROWS } from './async-check.config.js';
import { checkResult } from './async-check.js';

const UNREPLIED = `
  SELECT id, result FROM token_gating.checks
  WHERE reply AND replied_at IS NULL AND result IS NOT NULL AND done_at <= now() - $1 * interval '1 ms'
  ORDER BY done_at LIMIT $2`;

const lateReplies = z.array(z.object({ id: z.string(), result: checkResult }));

/** Finds results that did not get onto the results queue, and puts them there. */
@Injectable()
export class PublishLateRepliesStep implements SweepTask {
  readonly name = 'reply late';

  constructor(
    private readonly config: AsyncCheckConfig,
    private readonly database: Database,
    private readonly watch: QueueBackendMonitor,
    private readonly announcements: CheckResultPublisher,
  ) {}

  async sweep(): Promise<boolean> {
    if (!this.watch.isAvailable) return false;
    const { SWEEP_AFTER_MS } = this.config;
    const rows = lateReplies.parse(await this.database.query(UNREPLIED, [SWEEP_AFTER_MS, MAX_SWEEP_ROWS]));
    if (rows.length > 0) await this.announcements.publishReplies(rows);
    return rows.length === MAX_SWEEP_ROWS;
  }
}
