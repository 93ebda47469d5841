import type { Database } from '@app/database';
import { KeyStore } from '@app/key-ring';
import { createKeyMaterial } from './key-material.js';
import type { TokenConfig } from '../token.config.js';
import { createTokenKeyPolicy, TOKEN_KEY_USES, type TokenKeyUse } from './token-key-use.js';

/**
 * Token keys in PostgreSQL. Public keys are derived from the decrypted private keys, so that write access to the database alone
 * cannot add a trusted key.
 */
export const createTokenKeyStore = (database: Database, config: TokenConfig): KeyStore<TokenKeyUse> =>
  new KeyStore(database, {
    table: { name: 'identity.token_keys', sealed: 'sealed', use: 'use' },
    lock: 'gatehouse token keys',
    secret: config.TOKEN_KEY_SECRET,
    uses: TOKEN_KEY_USES,
    getPolicy: (use) => createTokenKeyPolicy(use, config),
    createKey: createKeyMaterial,
    toSealContext: (use, kid) => `${use}:${kid}`,
  });
