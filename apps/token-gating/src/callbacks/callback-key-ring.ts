import { MINUTE_MS, RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import type { Database } from '@app/database';
import type { CallbackKeySet } from '@app/dto';
import {
  isSigningKey,
  KeyRing,
  KeyStore,
  type NewKey,
  type RotatingKey,
  type StoredKey,
} from '@app/key-ring';
import type { Logger } from '@app/service';
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { SigningKey } from './sign-callback.js';
import type { CallbackKeyConfig } from './callback.config.js';

/** An Ed25519 key and its signing period. */
interface CallbackKey extends RotatingKey {
  /** Public key, base64url (RFC 8037). */
  readonly x: string;
  /** Undefined when the key was encrypted with another secret. */
  readonly privateKey: KeyObject | undefined;
}

/** Stored are the RFC 8037 members: public `x` in base64url, and private `d`, 32 bytes. */
function generateCallbackKey(): NewKey {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { kid: calculateJwkThumbprint(x), publicKey: x, bytes: Buffer.from(d, 'base64url') };
}

function toCallbackKey({ publicKey: x = '', bytes, ...key }: StoredKey<'callback'>): CallbackKey {
  return { ...key, x, privateKey: bytes && toPrivateKey(x, bytes.toString('base64url')) };
}

const toPrivateKey = (x: string, d: string): KeyObject =>
  createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' });

/** Thumbprint of RFC 7638 with the members of RFC 8037 section 2. */
function calculateJwkThumbprint(x: string): string {
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return createHash('sha256').update(members).digest('base64url');
}

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

/** Callback signing keys in PostgreSQL. */
export const createCallbackKeyStore = (database: Database, config: CallbackKeyConfig): KeyStore<'callback'> =>
  new KeyStore(database, {
    table: { name: 'token_gating.callback_keys', sealed: 'sealed_private_key', publicKey: 'x' },
    lock: 'gatehouse callback keys',
    secret: config.CALLBACK_KEY_SECRET,
    uses: ['callback'],
    getPolicy: () => ({
      lifetimeMs: config.CALLBACK_KEY_LIFETIME_MS,
      publishAheadMs: config.CALLBACK_KEY_PUBLISH_AHEAD_MS,
      overlapMs: config.CALLBACK_KEY_OVERLAP_MS,
      // Receivers verify callbacks on arrival, so retired keys are not needed.
      retentionMs: 0,
    }),
    createKey: generateCallbackKey,
    toSealContext: (_use, kid) => kid,
  });
