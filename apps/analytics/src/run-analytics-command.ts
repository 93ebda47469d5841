import { DAY_MS, MINUTE_MS } from '@app/common';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type Database, requireOption, runDatabaseCommand } from '@app/database';
import { backfillEvents, InvalidHistoryError } from './backfill/backfill-events.js';
import { storage } from './database/storage.js';
import { AnalyticsConfig } from './ingest/analytics.config.js';
import { listOperationCounts } from './operations/operation-counts.queries.js';
import { rebuildNumbers } from './rebuild/rebuild-numbers.js';

/** A statement of a rebuild may read all events of a community. */
const STATEMENT_TIMEOUT_MS = 10 * MINUTE_MS;

const LISTED_DAYS = 31;

const USAGE = `Usage:
  npm run gatehouse -- analytics rebuild --community <id>
      Replaces the numbers of a community by those that follow from its events.
  npm run gatehouse -- analytics backfill --community <id> [--file <path>]
      Imports a history, one community event in JSON per line, marked as demo. Without a file it reads its input.
      Repeating it changes nothing.
  npm run gatehouse -- analytics operations --client <id>
      Prints how often operations of a client application reached a state in the last 31 days: UTC day, chain, state and count.
`;

interface Flags {
  readonly community?: string | undefined;
  readonly file?: string | undefined;
  readonly client?: string | undefined;
}

const text = { type: 'string' } as const;

/** Runs one command for the numbers of analytics. @returns the exit code */
export const runAnalyticsCommand = (args: string[]): Promise<number> =>
  runDatabaseCommand(args, {
    storage,
    name: 'analytics',
    usage: USAGE,
    options: { community: text, file: text, client: text },
    commands: { rebuild, backfill, operations },
    isDataError: (error) => error instanceof InvalidHistoryError,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });

async function rebuild(database: Database, flags: Flags): Promise<string> {
  const communityId = requireOption('community', flags.community);
  const result = await database.transaction((manager) => rebuildNumbers(manager, communityId));
  if (!result) throw new Error(`The community ${communityId} has no numbers.`);
  return `Rebuilt ${result.days} days since ${result.from} from ${result.events} events.\n`;
}

async function backfill(database: Database, flags: Flags): Promise<string> {
  const communityId = requireOption('community', flags.community);
  const { ANALYTICS_RETENTION_DAYS } = new AnalyticsConfig();
  const lines =
    flags.file === undefined
      ? createInterface({ input: process.stdin })
      : (await open(flags.file)).readLines();
  const target = { communityId, retentionMs: ANALYTICS_RETENTION_DAYS * DAY_MS };
  const { stored, tooOld, inTheFuture } = await backfillEvents(database, lines, target);
  return `Imported ${stored} events. Dropped ${tooOld} that are too old, and ${inTheFuture} in the future.\n`;
}

async function operations(database: Database, flags: Flags): Promise<string> {
  const counts = await listOperationCounts(database, requireOption('client', flags.client), LISTED_DAYS);
  return counts.map(({ day, chain, state, count }) => `${day}  ${chain}  ${state}  ${count}\n`).join('');
}
