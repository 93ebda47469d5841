import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';

/** Applications whose last rows are remembered. The rows of a forgotten application are looked at from the first again. */
const MAX_APPLICATIONS = 10_000;

/** A row of a statement that says whose turn it is. */
interface Turn {
  readonly id: string;
  readonly application: string;
  readonly turnId: string;
}

/**
 * The fair queue of a loop that the applications of a chain share: an application with thousands of operations that cannot be settled delays
 * no operation of another application. PostgreSQL orders the rows (`turnsOf`), by what this class remembers of each application.
 */
export class ApplicationFairQueue {
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

  /** Looks at rows one after another, at each once, until `isOver`. The rows that are left come first in the next loop. */
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
