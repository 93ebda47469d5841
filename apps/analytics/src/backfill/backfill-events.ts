import { type Database } from '@app/database';
import { communityEvent, MAX_EVENTS_PER_BATCH } from '@app/dto';
import { ingestEvents, type IngestResult } from '../ingest/ingest-events.js';
import { isStored, type StoredEvent } from '../ingest/events.queries.js';

/** A line of a history that is no event of the community. */
export class InvalidHistoryError extends Error {
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
export async function backfillEvents(
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
