import { DAY_MS, tryTogether } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper, ItemFailures } from '@app/service';
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
import { EventIngestService } from './event-ingest.service.js';
import { listUnpartitionedEvents, takeUnpartitionedEvents } from './events.queries.js';

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

const UNPARTITIONED_SWEEP_INTERVAL_MS = 2_000;
const MAX_EVENTS = 500;

/**
 * Moves events from the table of the release before partitions, which instances of that release fill during a rollout. Events
 * older than the retention time are counted, but not kept.
 * The release after the next one removes it with its table (docs/adr/0041-numbers-behind-reports.md).
 */
@Injectable()
export class UnpartitionedEventsSweeper extends Sweeper {
  private readonly failures: ItemFailures;

  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly events: EventIngestService,
  ) {
    super(
      context,
      [{ name: 'move events into partitions', sweep: () => this.move() }],
      UNPARTITIONED_SWEEP_INTERVAL_MS,
    );
    this.failures = new ItemFailures(
      context.logger,
      'an event stays in the table of the release before partitions',
      {
        idField: 'eventId',
      },
    );
  }

  private async move(): Promise<boolean> {
    const ids = await listUnpartitionedEvents(this.database, MAX_EVENTS, this.failures.listPaused());
    const failed = await tryTogether(ids, (some) =>
      this.database.transaction(async (manager) => {
        const events = await takeUnpartitionedEvents(manager, some);
        await this.events.ingestIn(manager, events, { countsExpired: true });
      }),
    );
    for (const { item, error } of failed) this.failures.record(item, error);
    return ids.length === MAX_EVENTS;
  }
}
