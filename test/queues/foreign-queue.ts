import { createPostgresBackend, Queue } from 'bullmq';
import { Cluster, Redis } from 'ioredis';

/** A queue as a service sees it that uses plain BullMQ. */
export interface ForeignQueue {
  queue: Pick<Queue, 'add' | 'addBulk' | 'getJobs' | 'getJobCounts' | 'pause' | 'resume'>;
  close: () => Promise<void>;
}

/** @param env of the backend: REDIS_URL or QUEUE_DATABASE_URL */
export function foreignQueue(
  { REDIS_URL, QUEUE_DATABASE_URL }: Record<string, string>,
  name = 'test-jobs',
): ForeignQueue {
  if (REDIS_URL === undefined) {
    const connection = { connectionString: QUEUE_DATABASE_URL, schema: 'queue' };
    const queue = new Queue(name, { connection }, createPostgresBackend);
    return { queue, close: () => queue.close() };
  }
  const [first = '', ...others] = REDIS_URL.split(',');
  const connection = others.length > 0 ? new Cluster([first, ...others]) : new Redis(first);
  const queue = new Queue(name, { connection, prefix: '{gatehouse}' });
  return {
    queue,
    close: async () => {
      await queue.close();
      connection.disconnect();
    },
  };
}
