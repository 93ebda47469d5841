import { DAY_MS } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AnalyticsConfig } from './analytics.config.js';
import {
  createPartition,
  dropPartition,
  listPartitions,
  loadTime,
  tryLockPartitions,
  unlockPartitions,
} from './event-partitions.queries.js';
import { planPartitions } from './plan-partitions.js';

const SWEEP_INTERVAL_MS = 10_000;

/** Creates the partitions of the months to come, and removes those whose events have expired. */
@Injectable()
export class EventPartitionsSweeper extends Sweeper {
  private readonly retentionMs: number;

  constructor(
    context: ServiceContext,
    private readonly database: Database,
    { ANALYTICS_RETENTION_DAYS }: AnalyticsConfig,
  ) {
    super(context, [{ name: 'create and drop partitions', sweep: () => this.sweep() }], SWEEP_INTERVAL_MS);
    this.retentionMs = ANALYTICS_RETENTION_DAYS * DAY_MS;
  }

  private sweep(): Promise<boolean> {
    return this.database.withConnection(async (manager) => {
      if (!(await tryLockPartitions(manager))) return false;
      try {
        await this.applyPlan(manager);
      } finally {
        await unlockPartitions(manager);
      }
      return false;
    });
  }

  private async applyPlan(manager: EntityManager): Promise<void> {
    const { missing, expired } = planPartitions(
      await listPartitions(manager),
      await loadTime(manager),
      this.retentionMs,
    );
    // Partitions are created first, because without them events cannot be stored. A partition that fails keeps no other
    // from being created or dropped.
    const failures: unknown[] = [];
    const keep = (error: unknown) => failures.push(error);
    for (const partition of missing) await createPartition(manager, partition).catch(keep);
    for (const partition of expired) await dropPartition(manager, partition).catch(keep);
    if (failures.length > 0) throw failures[0];
  }
}
