import type { Principal } from '@app/auth';
import { PageTokens } from '@app/common';
import { DEFAULT_PAGE, type PageQuery } from '@app/dto';
import { Injectable } from '@nestjs/common';

export interface Page<Item> {
  items: Item[];
  paginationToken?: string | undefined;
}

/** Where a page begins, and how many rows tell whether another one follows. */
export interface PageStart {
  /** The sort key of the last item before; undefined on the first page. */
  readonly after: readonly string[] | undefined;
  /** One more than the page holds. */
  readonly count: number;
}

/** A list as its pages are turned. */
export interface PagedRows<Row> {
  /** Such as `members/<community id>`. */
  readonly list: string;
  readonly caller: Principal;
  readonly query: PageQuery;
  /** Items where the caller names no limit. */
  readonly defaultLimit?: number;
  readonly load: (start: PageStart) => Promise<Row[]>;
  readonly keyOf: (row: Row) => readonly string[];
  /** How many of the rows make a page, where their number alone does not say it; at least one. */
  readonly fitting?: (rows: readonly Row[]) => number;
}

/** Cuts lists into pages (contract.md section 2). */
@Injectable()
export class Pages {
  constructor(private readonly tokens: PageTokens) {}

  /** @throws AppError 400 for a token of another list or caller */
  async turn<Row>(paged: PagedRows<Row>): Promise<Page<Row>> {
    const { query, defaultLimit = DEFAULT_PAGE, load, keyOf, fitting } = paged;
    const list = { list: paged.list, caller: callerKey(paged.caller) };
    const limit = query.limit ?? defaultLimit;
    const rows = await load({ after: this.tokens.read(list, query.paginationToken), count: limit + 1 });
    const most = Math.min(limit, fitting?.(rows) ?? limit);
    const items = rows.slice(0, most);
    const last = items.at(-1);
    if (rows.length <= most || last === undefined) return { items };
    return { items, paginationToken: this.tokens.write(list, keyOf(last)) };
  }
}

/** A user's pages are theirs through whichever application; an application's are its own. */
function callerKey(principal: Principal): string {
  if (principal.kind !== 'caller') return principal.kind;
  const { user, client } = principal;
  return user ? `user ${user.id}` : `client ${client?.id ?? ''}`;
}
