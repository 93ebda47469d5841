import { tryTogether } from '@app/common';
import { Database } from '@app/database';
import { ItemFailures, ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { EventIngestService } from './event-ingest.service.js';
import { listUnpartitionedEvents, takeUnpartitionedEvents } from './events.queries.js';

const SWEEP_INTERVAL_MS = 2_000;
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
    super(context, [{ name: 'move events into partitions', sweep: () => this.move() }], SWEEP_INTERVAL_MS);
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
