import type { ConnectionOptions } from 'bullmq';

/** Where queues live: Redis or PostgreSQL. */
export interface QueueBackend {
  readonly kind: 'redis' | 'postgres';
  /** Makes it what BullMQ builds queues and workers on, in this process. */
  install: () => void;
  /** For adding: fails at once where waiting would be the default. */
  readonly producerConnection: ConnectionOptions;
  /** For workers: waits out whatever happens. */
  readonly workerConnection: ConnectionOptions;
  readonly prefix: string;
  /** Rejects, within two seconds, when jobs cannot be entrusted to it now: away, silent, not prepared, or unsafe. */
  probe: () => Promise<void>;
  close: () => Promise<void>;
}
