import type { Client } from './client.js';
import { type RequestArguments, type RequestParts, send } from './request.js';
import type { Item, PagedRoute } from './routes.js';

interface Page<T> {
  readonly items: readonly T[];
  readonly paginationToken?: string;
  readonly cursor?: string;
}

/**
 * Walks through all pages of a list: `for await (const member of paginate(client, 'GET /communities/{communityId}/members', …))`.
 * One page is in memory at a time, and the next one is asked for when its first item is.
 */
export async function* paginate<R extends PagedRoute>(
  client: Client,
  route: R,
  ...[options]: RequestArguments<R>
): AsyncGenerator<Item<R>, void, undefined> {
  for await (const { items } of pages<Item<R>>(client, route, options)) yield* items;
}

async function* pages<T>(
  client: Client,
  route: PagedRoute,
  options: RequestParts = {},
): AsyncGenerator<Page<T>, void, undefined> {
  let next: { paginationToken?: string; cursor?: string } = {};
  for (;;) {
    const { data } = await send<Page<T>>(client, route, { ...options, query: { ...options.query, ...next } });
    yield data;
    const { items, paginationToken, cursor } = data;
    if (paginationToken !== undefined) next = { paginationToken };
    // An export always has a cursor, for what will have happened later: the empty page is the last one.
    else if (cursor !== undefined && items.length > 0) next = { cursor };
    else return;
  }
}
