import { Redis } from 'ioredis';

/**
 * Works around ioredis 5, which never emits 'end' when it is disconnected between two connection attempts: closing a
 * worker while its Redis is unavailable would never return.
 */
export class CloseableRedis extends Redis {
  override disconnect(reconnect = false): void {
    const isBetweenAttempts = this.status === 'reconnecting';
    super.disconnect(reconnect);
    if (!isBetweenAttempts || reconnect) return;
    // A further attempt to connect while disconnecting emits 'end', whether it fails or not.
    this.connect().then(
      () => {
        super.disconnect();
      },
      () => undefined,
    );
  }
}
