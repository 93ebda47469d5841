import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { EventIngestService } from './event-ingest.service.js';
import { takeUnpartitionedEvents } from './events.queries.js';

const SWEEP_INTERVAL_MS = 2_000;
const MAX_EVENTS = 500;

/**
 * Moves events from the table of the release before partitions, which instances of that release fill during a rollout. Events
 * older than the retention time are counted, but not kept.
 * The release after the next one removes it with its table (docs/adr/0041-reports-read-numbers-not-events.md).
 */
@Injectable()
export class UnpartitionedEventsSweeper extends Sweeper {
  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly events: EventIngestService,
  ) {
    super(context, [{ name: 'move events into partitions', sweep: () => this.move() }], SWEEP_INTERVAL_MS);
  }

  private move(): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const events = await takeUnpartitionedEvents(manager, MAX_EVENTS);
      await this.events.ingestIn(manager, events, { countsExpired: true });
      return events.length === MAX_EVENTS;
    });
  }
}
