import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { findDataUntil } from '../ingest/producer-heartbeats.queries.js';

/** Heartbeats come once a minute. */
const CACHE_TTL_MS = 1_000;

/** Knows until when everything that happened is in the rows of reports. */
@Injectable()
export class DataUntilService {
  private readonly cache = new LRUCache<'until', { readonly until: string | undefined }>({
    max: 1,
    ttl: CACHE_TTL_MS,
    fetchMethod: async () => ({ until: await findDataUntil(this.database) }),
  });

  constructor(private readonly database: Database) {}

  /**
   * Loads the time until which the numbers are complete. Call it before the rows are loaded, which then have at least
   * the events up to that time.
   */
  async load(): Promise<string | undefined> {
    return (await this.cache.fetch('until'))?.until;
  }
}
