import { DAY_MS, MINUTE_MS } from '@app/common';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { defineCommand, runDatabaseCommand, textFlag } from '@app/database';
import { z } from 'zod';
import { backfillEvents, InvalidHistoryError } from './backfill/backfill-events.js';
import { storage } from './database/storage.js';
import { AnalyticsConfig } from './ingest/analytics.config.js';
import { listOperationCounts } from './operations/operation-counts.queries.js';
import { rebuildNumbers } from './rebuild/rebuild-numbers.js';

/** A statement of a rebuild may read all events of a community. */
const STATEMENT_TIMEOUT_MS = 10 * MINUTE_MS;

const LISTED_DAYS = 31;

const rebuild = defineCommand({
  name: 'rebuild',
  help: 'Replaces the numbers of a community by those that follow from its events.',
  flags: z.object({ community: textFlag('id') }),
  run: async (database, { community }) => {
    const result = await database.transaction((manager) => rebuildNumbers(manager, community));
    if (!result) throw new Error(`The community ${community} has no numbers.`);
    return `Rebuilt ${result.days} days since ${result.from} from ${result.events} events.\n`;
  },
});

const backfill = defineCommand({
  name: 'backfill',
  help: `Imports a history, one community event in JSON per line, marked as demo. Without a file it reads its input.
Repeating it changes nothing.`,
  flags: z.object({ community: textFlag('id'), file: textFlag('path').optional() }),
  run: async (database, { community, file }) => {
    const { ANALYTICS_RETENTION_DAYS } = new AnalyticsConfig();
    const lines =
      file === undefined ? createInterface({ input: process.stdin }) : (await open(file)).readLines();
    const target = { communityId: community, retentionMs: ANALYTICS_RETENTION_DAYS * DAY_MS };
    const { stored, tooOld, inTheFuture } = await backfillEvents(database, lines, target);
    return `Imported ${stored} events. Dropped ${tooOld} that are too old, and ${inTheFuture} in the future.\n`;
  },
});

const operations = defineCommand({
  name: 'operations',
  help: `Prints how often operations of a client application reached a state in the last ${LISTED_DAYS} days: UTC day, chain, state and count.`,
  flags: z.object({ client: textFlag('id') }),
  run: async (database, { client }) => {
    const counts = await listOperationCounts(database, client, LISTED_DAYS);
    return counts.map(({ day, chain, state, count }) => `${day}  ${chain}  ${state}  ${count}\n`).join('');
  },
});

/** Runs one command for the numbers of analytics. @returns the exit code */
export const runAnalyticsCommand = (args: string[]): Promise<number> =>
  runDatabaseCommand(args, {
    storage,
    name: 'analytics',
    group: 'analytics',
    commands: [rebuild, backfill, operations],
    isDataError: (error) => error instanceof InvalidHistoryError,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
