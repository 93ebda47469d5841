import { summarizeIssues } from '@app/common';
import type { OutboxQueue } from './outbox-queue.js';
import type { OutboxRow, UnsendableRow } from './outbox.queries.js';

export interface PartitionedRows {
  /** Rows by queue, in order, with validated payloads. */
  sendable: Map<OutboxQueue, OutboxRow[]>;
  unsendable: UnsendableRow[];
}

/** Groups rows by queue, and separates those whose queue or payload this version does not know. */
export function partitionRows(rows: readonly OutboxRow[], queues: readonly OutboxQueue[]): PartitionedRows {
  const sendable = new Map<OutboxQueue, OutboxRow[]>();
  const unsendable: UnsendableRow[] = [];
  for (const row of rows) {
    const queue = queues.find(({ definition }) => definition.name === row.queue);
    const { data: payload, error } = queue?.definition.payload.safeParse(row.payload) ?? {};
    if (queue && !error) sendable.set(queue, [...(sendable.get(queue) ?? []), { ...row, payload }]);
    else
      unsendable.push({
        ...{ id: row.id, queue: row.queue },
        reason: error ? summarizeIssues(error.issues) : 'no such queue',
      });
  }
  return { sendable, unsendable };
}
