import type { Principal } from '@app/auth';
import { PageTokenCodec } from '@app/common';
import { DEFAULT_PAGE_SIZE, type PageQuery } from '@app/dto';
import { Injectable } from '@nestjs/common';

/** Before every key of a list that is ordered by time and id. */
export const FIRST_SORT_KEY: readonly string[] = ['-infinity', ''];

export interface Page<Item> {
  items: Item[];
  paginationToken?: string | undefined;
}

/** Where a page begins, and how many rows tell whether another one follows. */
export interface PageCursor {
  /** The sort key of the last item before; undefined on the first page. */
  readonly after: readonly string[] | undefined;
  /** One more than the page holds. */
  readonly rowLimit: number;
}

/** A list as its pages are turned. */
export interface PaginationRequest<Row> {
  /** Such as `members/<community id>`. */
  readonly list: string;
  readonly principal: Principal;
  readonly query: PageQuery;
  /** Items where the caller names no limit. */
  readonly defaultLimit?: number;
  readonly load: (start: PageCursor) => Promise<Row[]>;
  readonly toSortKey: (row: Row) => readonly string[];
  /** How many of the rows make a page, where their number alone does not say it; at least one. */
  readonly countFittingRows?: (rows: readonly Row[]) => number;
}

/** Cuts lists into pages (contract.md section 2). */
@Injectable()
export class PaginationService {
  constructor(private readonly tokens: PageTokenCodec) {}

  /** @throws AppError 400 for a token of another list or caller */
  async paginate<Row>(paged: PaginationRequest<Row>): Promise<Page<Row>> {
    const { query, defaultLimit = DEFAULT_PAGE_SIZE, load, toSortKey, countFittingRows } = paged;
    const list = { list: paged.list, caller: toPrincipalKey(paged.principal) };
    const limit = query.limit ?? defaultLimit;
    const rows = await load({ after: this.tokens.decode(list, query.paginationToken), rowLimit: limit + 1 });
    const most = Math.min(limit, countFittingRows?.(rows) ?? limit);
    const items = rows.slice(0, most);
    const last = items.at(-1);
    if (rows.length <= most || last === undefined) return { items };
    return { items, paginationToken: this.tokens.encode(list, toSortKey(last)) };
  }
}

/** A user's pages are theirs through whichever application; an application's are its own. */
function toPrincipalKey(principal: Principal): string {
  if (principal.kind !== 'caller') return principal.kind;
  const { user, client } = principal;
  return user ? `user ${user.id}` : `client ${client?.id ?? ''}`;
}
