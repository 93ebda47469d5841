import type { ConnectionOptions } from 'bullmq';
import { AppError, HTTP_ERROR_NAMES, RETRY_AFTER_SECONDS } from '@app/common';

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

/** The backend is unavailable, timed out or is full. The jobs may or may not have been enqueued. */
export class QueueUnavailableError extends AppError {
  constructor(cause: unknown) {
    const details = { code: 'queue_unavailable', retryAfter: RETRY_AFTER_SECONDS.turn };
    super(HTTP_ERROR_NAMES[503], 503, 'The queue is unavailable. Try again later.', details, { cause });
  }
}

/**
 * The backend answers, and takes no writes: a Redis or PostgreSQL that became a replica or read-only. Unlike a backend that is away, it
 * may be one that only this instance still reaches, so that the instance is not ready.
 */
export class WriteRefusedError extends Error {
  override readonly name = 'WriteRefusedError';
}
