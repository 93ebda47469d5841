import { Redis } from 'ioredis';

/**
 * ioredis that ends when it is told to. The original, told so while it waits for its next attempt to connect, never
 * says that it ended, and a worker that is closed while its Redis is away would wait for that for ever.
 */
export class CloseableRedis extends Redis {
  override disconnect(reconnect = false): void {
    const isBetweenAttempts = this.status === 'reconnecting';
    super.disconnect(reconnect);
    if (!isBetweenAttempts || reconnect) return;
    // One more attempt, now that it counts as closing: failed or not, it comes to an end.
    this.connect().then(
      () => {
        super.disconnect();
      },
      () => undefined,
    );
  }
}
