import { apps } from '../suite/apps.mjs';
import { makeSecrets } from '../suite/secrets.mjs';

/** @typedef {[name: string, values: Record<string, string>]} AppSecrets */

/**
 * New secret values for each app and for the migrations, by the names of variables.
 * @param {{ databaseUrl: string, redisUrl?: string }} options
 * @returns {AppSecrets[]}
 */
export function createAppSecrets({ databaseUrl, redisUrl }) {
  const secrets = makeSecrets(apps.map(({ name }) => name));
  /** @type {Record<string, string>} */
  const redis = redisUrl ? { REDIS_URL: redisUrl } : {};
  /** @type {Record<string, Record<string, string>>} */
  const own = {
    'account-kit': { ACCOUNT_KEY_SECRET: secrets.accountKeySecret },
    identity: {
      CREDENTIAL_PEPPER: secrets.credentialPepper,
      OPAQUE_TOKEN_SECRET: secrets.opaqueTokenSecret,
      TOKEN_KEY_SECRET: secrets.tokenKeySecret,
    },
    'token-gating': {
      CALLBACK_KEY_SECRET: secrets.callbackKeySecret,
      OPAQUE_TOKEN_SECRET: secrets.opaqueTokenSecret,
    },
  };
  /** @type {AppSecrets[]} */
  const ofApps = apps.map(({ name }) => [
    name,
    {
      DATABASE_URL: databaseUrl,
      ...redis,
      INTERNAL_KEYS: JSON.stringify(secrets.keySet),
      INTERNAL_SIGNING_KEY: JSON.stringify(secrets.signing[name]),
      ...own[name],
    },
  ]);
  return [...ofApps, ['migrate', { DATABASE_URL: databaseUrl }]];
}
