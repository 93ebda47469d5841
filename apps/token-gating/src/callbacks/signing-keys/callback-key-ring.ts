import { MINUTE_MS, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';
import type { CallbackKeySet } from '@app/dto';
import { isSigningKey, KeyRing, type KeyStore } from '@app/key-ring';
import type { Logger } from '@app/service';
import type { SigningKey } from '../sign-callback.js';
import { type CallbackKey, toCallbackKey } from './callback-key.js';

const REFRESH_INTERVAL_MS = MINUTE_MS;

/** The callback keys. */
export class CallbackKeyRing extends KeyRing<'callback', readonly CallbackKey[]> {
  constructor(store: KeyStore<'callback'>, logger: Logger, clock: () => number = Date.now) {
    super({
      label: 'callback keys',
      secretName: 'CALLBACK_KEY_SECRET',
      store,
      toKeys: (stored) => stored.map(toCallbackKey),
      refreshIntervalMs: REFRESH_INTERVAL_MS,
      logger,
      clock,
    });
  }

  /** Whether a key is in its signing period. */
  get canSign(): boolean {
    return this.current !== undefined && this.getSigningKeys().length > 0;
  }

  /** Keys in their signing period, oldest first. @throws AppError 503 before keys are loaded */
  getSigningKeys(): readonly SigningKey[] {
    const now = this.now();
    return this.getLoaded().flatMap((key) => {
      const { kid, privateKey } = key;
      return privateKey && isSigningKey(key, now) ? [{ kid, privateKey }] : [];
    });
  }

  /** JWK set for receivers (RFC 7517). @throws AppError 503 before keys are loaded */
  getPublicKeys(): CallbackKeySet {
    const keys = this.getLoaded().map(({ kid, x }) => ({
      kty: 'OKP' as const,
      crv: 'Ed25519' as const,
      alg: 'EdDSA' as const,
      use: 'sig' as const,
      kid,
      x,
    }));
    return { keys };
  }

  private getLoaded(): readonly CallbackKey[] {
    if (this.current) return this.current;
    throw serviceUnavailable('callback_keys_unavailable', 'The callback signing keys are not loaded yet.', {
      retryAfter: RETRY_AFTER_SECONDS.turn,
    });
  }
}
