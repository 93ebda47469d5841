import type { Principal } from '@app/auth';
import { PageTokenCodec, deriveKey } from '@app/common';
import { DEFAULT_PAGE_SIZE, type PageQuery } from '@app/dto';
import { Injectable, Module } from '@nestjs/common';
import { createConfigClass, opaqueTokenConfigSchema } from '@app/config';
import { z } from 'zod';
import { invalidInput } from './http/validation.pipe.js';

/** Sorts before every key of a list that is ordered by time and id. */
export const FIRST_SORT_KEY: readonly string[] = ['-infinity', ''];

export interface Page<Item> {
  items: Item[];
  paginationToken?: string | undefined;
}

export interface PageCursor {
  /** The sort key of the previous page's last item; undefined for the first page. */
  readonly after: readonly string[] | undefined;
  /** The page size and one row more, to detect another page. */
  readonly rowLimit: number;
}

interface PaginationRequest<Row> {
  /** The list, such as `members/<community id>`. */
  readonly list: string;
  readonly principal: Principal;
  readonly query: PageQuery;
  readonly defaultLimit?: number;
  readonly load: (cursor: PageCursor) => Promise<Row[]>;
  readonly toSortKey: (row: Row) => readonly string[];
  /** The number of rows that fit, at least one, where pages are limited by size, too. */
  readonly countFittingRows?: (rows: readonly Row[]) => number;
}

/** Returns pages of lists, with opaque tokens (contract.md section 2). */
@Injectable()
export class PaginationService {
  constructor(private readonly tokens: PageTokenCodec) {}

  /** @throws AppError 400 for a token of another list or principal */
  async paginate<Row>(request: PaginationRequest<Row>): Promise<Page<Row>> {
    const { query, defaultLimit = DEFAULT_PAGE_SIZE, load, toSortKey, countFittingRows } = request;
    const list = { list: request.list, caller: toPrincipalKey(request.principal) };
    const limit = query.limit ?? defaultLimit;
    const rows = await load({ after: this.tokens.decode(list, query.paginationToken), rowLimit: limit + 1 });
    const pageSize = Math.min(limit, countFittingRows?.(rows) ?? limit);
    const items = rows.slice(0, pageSize);
    const last = items.at(-1);
    if (rows.length <= pageSize || last === undefined) return { items };
    return { items, paginationToken: this.tokens.encode(list, toSortKey(last)) };
  }
}

/** A user may continue a list through another client application. */
function toPrincipalKey(principal: Principal): string {
  if (principal.kind !== 'caller') return principal.kind;
  const { user, client } = principal;
  return user ? `user ${user.id}` : `client ${client?.id ?? ''}`;
}

class OpaqueTokenConfig extends createConfigClass(opaqueTokenConfigSchema) {}

@Module({
  providers: [
    OpaqueTokenConfig,
    {
      provide: PageTokenCodec,
      inject: [OpaqueTokenConfig],
      useFactory: ({ OPAQUE_TOKEN_SECRET }: OpaqueTokenConfig) =>
        new PageTokenCodec(deriveKey(OPAQUE_TOKEN_SECRET, 'page tokens')),
    },
    PaginationService,
  ],
  exports: [OpaqueTokenConfig, PaginationService],
})
export class PaginationModule {}

const MICROSECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const position = z.tuple([z.string(), z.iso.datetime().regex(MICROSECONDS), z.uuid()]);

/** A place in a list that is ordered by a time and an id. */
export interface ListPosition {
  /** The time with microseconds. */
  readonly time: string;
  readonly id: string;
}

/**
 * Names a place in a list. It is not signed: use it where it holds only what the page has shown, and where each request is checked for
 * the right to read the list.
 * @param list such as an id of what the list is of
 */
export const encodePosition = (list: string, { time, id }: ListPosition): string =>
  Buffer.from(JSON.stringify([list, time, id])).toString('base64url');

/** @throws AppError 400 that names the field, for anything but a token of this list */
export function decodePosition(list: string, token: string, field: string): ListPosition {
  const parsed = position.safeParse(parseJson(Buffer.from(token, 'base64url').toString()));
  if (!parsed.success || parsed.data[0] !== list)
    throw invalidInput([
      { code: 'custom', path: [field], message: 'must be of a page of this list', input: undefined },
    ]);
  const [, time, id] = parsed.data;
  return { time, id };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused like JSON of another shape
  }
}
