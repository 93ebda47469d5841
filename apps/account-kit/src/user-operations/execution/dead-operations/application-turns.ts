import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { LAPSED_REASON } from '../bundles/due-operations.js';

/** Applications whose turns are remembered. The rows of a forgotten one are looked at from the first again. */
const MAX_APPLICATIONS = 10_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** What a row of a statement with `turnsOf` says about whose turn it is. */
export const turnFields = {
  id: z.string(),
  /** The application whose turn it is. */
  application: z.string(),
  /** The operation of the application because of which the row is looked at. */
  turnId: z.string(),
};
export interface Turn {
  readonly id: string;
  readonly application: string;
  readonly turnId: string;
}

/** SQL condition: the operation is in a state from which a block may still execute it. It is that of the partial indexes of turns. */
const isUnfinished = (o: string): string => `${o}.state IN ('accepted', 'signed', 'submitted', 'stuck')`;
const IS_TRIED = `mine.reason IS DISTINCT FROM '${LAPSED_REASON}'`;
const IS_UNTRIED = `mine.reason = '${LAPSED_REASON}'`;

interface TurnsOptions {
  /** SQL condition of the rows that are looked at, on the operation `o`. */
  readonly isListed: string;
  /** Whether what has lapsed is looked at although no application waits for its nonce. */
  readonly hasUntried: boolean;
}

/**
 * SQL of common table expressions, after `WITH RECURSIVE`. `turn` has the rows to look at on chain $1, at most $2: the next one of each
 * application, beginning with the application that has waited longest, then the second one of each, and so on. To an application belong
 * its unfinished operations, those that it was refused because of, and the operations of their lanes before them that are of other
 * applications or have lapsed. The columns of `turn` are `id`, `application`, `turn_id` and `number`, by which it is ordered. $3 to $5 are
 * `ApplicationTurns.parameters`. An index names the applications, so the number of finished operations does not matter.
 */
export function turnsOf({ isListed, hasUntried }: TurnsOptions): string {
  const sources = [
    { application: 'client_id', condition: IS_TRIED },
    { application: 'wanted_by', condition: 'mine.wanted_by IS NOT NULL' },
    ...(hasUntried ? [{ application: 'client_id', condition: IS_UNTRIED }] : []),
  ];
  const applications = sources.map(({ application, condition }, index) => {
    const first = (
      after: string,
    ) => `SELECT min(mine.${application}) AS id FROM account_kit.user_operations AS mine
      WHERE mine.chain_id = $1 AND ${isUnfinished('mine')} AND ${condition} ${after}`;
    return `application_${index} AS (
      ${first('')} UNION ALL
      SELECT (${first(`AND mine.${application} > previous.id`)}) FROM application_${index} AS previous WHERE previous.id IS NOT NULL)`;
  });
  const mine = (side: string) =>
    sources.map(
      ({ application, condition }) => `
        (SELECT mine.id, mine.account_id, mine.chain_id, mine.nonce_key, mine.nonce_sequence FROM account_kit.user_operations AS mine
         WHERE mine.chain_id = $1 AND mine.${application} = application.id AND ${isUnfinished('mine')} AND ${condition}
           AND mine.id ${side} ORDER BY mine.id)`,
    );
  const page = (side: string, isWrapped: boolean) => `
    (SELECT ${isWrapped} AS is_wrapped, mine.id AS turn_id, o.id FROM (${mine(side).join(' UNION ALL ')} ORDER BY id) AS mine
     CROSS JOIN LATERAL (
       SELECT own.* FROM account_kit.user_operations AS own WHERE own.id = mine.id
       UNION ALL
       SELECT earlier.* FROM account_kit.user_operations AS earlier
       WHERE earlier.account_id = mine.account_id AND earlier.chain_id = mine.chain_id AND earlier.nonce_key = mine.nonce_key
         AND earlier.nonce_sequence <= mine.nonce_sequence AND ${isUnfinished('earlier')} AND earlier.id <> mine.id
         AND (earlier.client_id <> application.id OR earlier.reason = '${LAPSED_REASON}')) AS o
     WHERE ${isListed} ORDER BY mine.id LIMIT $2)`;
  return `${applications.join(', ')}, application AS (
      ${sources.map((_, index) => `SELECT id FROM application_${index} WHERE id IS NOT NULL`).join(' UNION ')}
    ), placed AS (
      SELECT application.id AS application, listed.turn_id, listed.id, last.number AS last_number, row_number() OVER (
        PARTITION BY application.id ORDER BY listed.is_wrapped, listed.turn_id, listed.id) AS place
      FROM application LEFT JOIN unnest($3::text[], $4::uuid[], $5::bigint[]) AS last(application, id, number)
        ON last.application = application.id
      CROSS JOIN LATERAL (
        ${page(`> coalesce(last.id, '${FIRST_ID}')`, false)} UNION ALL ${page('<= last.id', true)}) AS listed
    ), turn AS (
      SELECT id, application, turn_id, row_number() OVER (ORDER BY place, last_number NULLS FIRST, application) AS number
      FROM placed ORDER BY number LIMIT $2)`;
}

/** SQL columns of `turnFields`. */
export const TURN_COLUMNS = `turn.application, turn.turn_id AS "turnId"`;

/**
 * Whose turn it is in a loop that the applications of a chain share: an application with thousands of operations that cannot be settled
 * delays no operation of another one.
 */
export class ApplicationTurns {
  private readonly last = new LRUCache<string, { readonly id: string; readonly number: number }>(
    boundEntries(MAX_APPLICATIONS),
  );
  private number = 0;

  /** @returns $3 to $5 of `turnsOf` */
  get parameters(): [string[], string[], number[]] {
    const entries = [...this.last.entries()];
    return [
      entries.map(([application]) => application),
      entries.map(([, { id }]) => id),
      entries.map(([, { number }]) => number),
    ];
  }

  /** Looks at rows one after another, each once, until `isOver`. What was not looked at comes next. */
  async take<Row extends Turn>(
    rows: readonly Row[],
    isOver: () => boolean,
    look: (row: Row) => Promise<unknown>,
  ): Promise<void> {
    const seen = new Set<string>();
    for (const row of rows) {
      if (isOver()) return;
      if (!seen.has(row.id)) await look(row);
      seen.add(row.id);
      this.number += 1;
      this.last.set(row.application, { id: row.turnId, number: this.number });
    }
  }
}
