import { Database } from '@app/database';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import { type Observable, tap } from 'rxjs';
import { findDataUntil } from '../ingest/producer-heartbeats.queries.js';

/** Heartbeats come once a minute. */
const CACHE_TTL_MS = 1_000;

/** Sets `X-Data-Until`: what happened until then is in the rows of a report. */
@Injectable()
export class DataUntilInterceptor implements NestInterceptor {
  private readonly cache = new LRUCache<'until', { readonly until: string | undefined }>({
    max: 1,
    ttl: CACHE_TTL_MS,
    fetchMethod: async () => ({ until: await findDataUntil(this.database) }),
  });

  constructor(private readonly database: Database) {}

  async intercept(context: ExecutionContext, next: CallHandler<unknown>): Promise<Observable<unknown>> {
    // Before the rows are read, which then have at least these events.
    const until = (await this.cache.fetch('until'))?.until;
    const setHeader = () => {
      if (until !== undefined) context.switchToHttp().getResponse<Response>().set('X-Data-Until', until);
    };
    return next.handle().pipe(tap(setHeader));
  }
}
