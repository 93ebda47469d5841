import { summarizeIssues } from '@app/common';
import type { OutboxQueue } from './outbox-queue.js';
import type { OutboxRow, Unsendable } from './outbox-rows.js';

export interface SortedRows {
  /** Per queue, in order. */
  sendable: Map<OutboxQueue, OutboxRow[]>;
  unsendable: Unsendable[];
}

/** Which rows go where, and which this build knows no place for. */
export function sortRows(rows: readonly OutboxRow[], queues: readonly OutboxQueue[]): SortedRows {
  const sendable = new Map<OutboxQueue, OutboxRow[]>();
  const unsendable: Unsendable[] = [];
  for (const row of rows) {
    const queue = queues.find(({ definition }) => definition.name === row.queue);
    const why = problemOf(row, queue);
    if (queue && why === undefined) sendable.set(queue, [...(sendable.get(queue) ?? []), row]);
    else unsendable.push({ id: row.id, queue: row.queue, why: why ?? '' });
  }
  return { sendable, unsendable };
}

function problemOf({ payload }: OutboxRow, queue: OutboxQueue | undefined): string | undefined {
  if (!queue) return 'no such queue';
  const { error } = queue.definition.payload.safeParse(payload);
  return error && summarizeIssues(error.issues);
}
