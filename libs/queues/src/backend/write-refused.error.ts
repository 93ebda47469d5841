/**
 * The backend answers, and takes no writes: a Redis or PostgreSQL that became a replica or read-only. Unlike a backend that is away, it
 * may be one that only this instance still reaches, so that the instance is not ready.
 */
export class WriteRefusedError extends Error {
  override readonly name = 'WriteRefusedError';
}
