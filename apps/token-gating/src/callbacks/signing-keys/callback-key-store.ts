import type { Database } from '@app/database';
import { KeyStore } from '@app/key-ring';
import { generateCallbackKey } from './callback-key.js';
import type { CallbackKeyConfig } from './callback-key.config.js';

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
