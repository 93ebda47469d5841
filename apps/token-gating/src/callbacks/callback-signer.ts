import { Injectable } from '@nestjs/common';
import { CallbackKeys } from './keys/callback-keys.js';
import { signCallback } from './sign-callback.js';

/** Signs callbacks with the keys of the moment: at sending, not before. */
@Injectable()
export class CallbackSigner {
  constructor(private readonly keys: CallbackKeys) {}

  /**
   * The headers of one attempt.
   * @param id of the delivery, `msg_<ULID>`
   * @throws AppError 503 before the keys were loaded
   */
  sign({
    id,
    body,
    nowMs = Date.now(),
  }: {
    id: string;
    body: string;
    nowMs?: number;
  }): Record<string, string> {
    const timestamp = Math.floor(nowMs / 1_000);
    return signCallback({ deliveryId: id, timestamp, body, keys: this.keys.signingKeys() });
  }
}
