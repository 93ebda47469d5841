import type { QueueDefinition } from '../definitions/define-queue.js';
import type { Producer } from './producer.js';

/**
 * The time until which what happened has been handled, as far as these queues know.
 * @param until at most this time, in ISO 8601
 * @returns undefined while too many jobs are unfinished to say
 */
export async function findHandledUntil(
  until: string,
  producers: readonly Pick<Producer<QueueDefinition>, 'findUnfinishedSince'>[],
): Promise<string | undefined> {
  const times = await Promise.all(producers.map((producer) => producer.findUnfinishedSince()));
  if (times.includes('unknown')) return undefined;
  const oldest = Math.min(...times.filter((time) => typeof time === 'number'));
  return oldest < Date.parse(until) ? new Date(oldest).toISOString() : until;
}
