import { type Database, defineCommand, runDatabaseCommand, textFlag } from '@app/database';
import { communityEvent, MAX_EVENTS_PER_BATCH } from '@app/dto';
import { ingestEvents, type IngestResult } from './ingest/ingest-events.js';
import { isStored, type StoredEvent } from './ingest/events.queries.js';
import { DAY_MS, MINUTE_MS } from '@app/common';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { storage } from './database/storage.js';
import { AnalyticsConfig } from './ingest/analytics.config.js';
import { listOperationCounts } from './operations/operation-counts.queries.js';
import { rebuildNumbers } from './rebuild/rebuild-numbers.js';

/** A line of a history that is no event of the community. */
class InvalidHistoryError extends Error {
  override readonly name = 'InvalidHistoryError';
}

export interface BackfillTarget {
  readonly communityId: string;
  readonly retentionMs: number;
}

/**
 * Imports the history of a community, marked as demo. Repeating it changes nothing, because events count once by their ids.
 * @param lines a community event in JSON each. @throws InvalidHistoryError that names the line; lines before it may be stored
 */
async function backfillEvents(
  database: Database,
  lines: AsyncIterable<string>,
  { communityId, retentionMs }: BackfillTarget,
): Promise<IngestResult> {
  const total = { stored: 0, tooOld: 0, inTheFuture: 0 };
  const store = async (events: readonly StoredEvent[]): Promise<void> => {
    const result = await database.transaction((manager) =>
      ingestEvents(manager, events, { retentionMs, isDemo: true }),
    );
    total.stored += result.stored;
    total.tooOld += result.tooOld;
    total.inTheFuture += result.inTheFuture;
  };
  let batch: StoredEvent[] = [];
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    batch.push(parseLine(line, number, communityId));
    if (batch.length < MAX_EVENTS_PER_BATCH) continue;
    await store(batch);
    batch = [];
  }
  if (batch.length > 0) await store(batch);
  return total;
}

function parseLine(line: string, number: number, communityId: string): StoredEvent {
  const { data, error } = communityEvent.safeParse(parseJson(line, number));
  if (error) {
    const [issue] = error.issues;
    throw new InvalidHistoryError(
      `Line ${number}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is invalid'}`,
    );
  }
  if (!isStored(data)) throw new InvalidHistoryError(`Line ${number}: ${data.type} cannot be imported`);
  if (data.communityId !== communityId)
    throw new InvalidHistoryError(`Line ${number}: is an event of ${data.communityId}`);
  return data;
}

function parseJson(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new InvalidHistoryError(`Line ${number}: is not JSON`);
  }
}

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
