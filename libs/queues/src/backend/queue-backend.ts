import type { ConnectionOptions } from 'bullmq';

/** Stores the queues, in Redis or PostgreSQL. */
export interface QueueBackend {
  readonly kind: 'redis' | 'postgres';
  /** Makes BullMQ use it for all queues and workers of this process. */
  install: () => void;
  /** Fails at once while the backend is unavailable. */
  readonly producerConnection: ConnectionOptions;
  /** Reconnects forever. */
  readonly workerConnection: ConnectionOptions;
  readonly prefix: string;
  /** Rejects within two seconds when the backend is unavailable, refuses writes, has no schema, or would evict jobs. */
  probe: () => Promise<void>;
  close: () => Promise<void>;
}
