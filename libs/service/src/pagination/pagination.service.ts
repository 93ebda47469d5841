import type { Principal } from '@app/auth';
import { PageTokenCodec } from '@app/common';
import { DEFAULT_PAGE_SIZE, type PageQuery } from '@app/dto';
import { Injectable } from '@nestjs/common';

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
