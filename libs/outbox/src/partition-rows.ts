import { summarizeIssues } from '@app/common';
import type { OutboxQueue } from './outbox-queue.js';
import type { OutboxRow, UnsendableRow } from './outbox.queries.js';

export interface PartitionedRows {
  /** By queue, in order. */
  sendable: Map<OutboxQueue, OutboxRow[]>;
  unsendable: UnsendableRow[];
}

/** Groups rows by queue, and separates those whose queue or payload this version does not know. */
export function partitionRows(rows: readonly OutboxRow[], queues: readonly OutboxQueue[]): PartitionedRows {
  const sendable = new Map<OutboxQueue, OutboxRow[]>();
  const unsendable: UnsendableRow[] = [];
  for (const row of rows) {
    const queue = queues.find(({ definition }) => definition.name === row.queue);
    const problem = findProblem(row, queue);
    if (queue && problem === undefined) sendable.set(queue, [...(sendable.get(queue) ?? []), row]);
    else unsendable.push({ id: row.id, queue: row.queue, reason: problem ?? '' });
  }
  return { sendable, unsendable };
}

function findProblem({ payload }: OutboxRow, queue: OutboxQueue | undefined): string | undefined {
  if (!queue) return 'no such queue';
  const { error } = queue.definition.payload.safeParse(payload);
  return error && summarizeIssues(error.issues);
}
