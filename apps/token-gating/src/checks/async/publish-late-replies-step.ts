import { Database } from '@app/database';
import { QueueBackendMonitor } from '@app/queues';
import type { SweepTask } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CheckResultPublisher } from './check-result-publisher.js';
import { checkResult } from '../../rules/check-result.js';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';

const UNREPLIED = `
  SELECT id, result FROM token_gating.checks
  WHERE reply AND replied_at IS NULL AND result IS NOT NULL AND done_at <= now() - $1 * interval '1 ms'
  ORDER BY done_at LIMIT $2`;

const lateReplies = z.array(z.object({ id: z.string(), result: checkResult }));

/** Publishes results to the results queue again whose replies were lost. */
@Injectable()
export class PublishLateRepliesStep implements SweepTask {
  readonly name = 'publish late replies';

  constructor(
    private readonly config: SweepConfig,
    private readonly database: Database,
    private readonly queueBackend: QueueBackendMonitor,
    private readonly publisher: CheckResultPublisher,
  ) {}

  async sweep(): Promise<boolean> {
    if (!this.queueBackend.isAvailable) return false;
    const { SWEEP_AFTER_MS } = this.config;
    const rows = lateReplies.parse(await this.database.query(UNREPLIED, [SWEEP_AFTER_MS, MAX_SWEEP_ROWS]));
    if (rows.length > 0) await this.publisher.publishReplies(rows);
    return rows.length === MAX_SWEEP_ROWS;
  }
}
