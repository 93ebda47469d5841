import { apps } from '../local/apps.mjs';
import { makeSecrets } from '../local/secrets.mjs';

/**
 * One Secret for each app and for the migrations, with new keys. Its keys are the names of variables.
 * @param {{ databaseUrl: string, redisUrl?: string, namespace: string }} options
 */
export function createSecrets({ databaseUrl, redisUrl, namespace }) {
  const secrets = makeSecrets(apps.map(({ name }) => name));
  const redis = redisUrl ? { REDIS_URL: redisUrl } : {};
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
  const ofApps = apps.map(({ name }) =>
    createSecret(name, namespace, {
      DATABASE_URL: databaseUrl,
      ...redis,
      INTERNAL_KEYS: JSON.stringify(secrets.keySet),
      INTERNAL_SIGNING_KEY: JSON.stringify(secrets.signing[name]),
      ...own[name],
    }),
  );
  return [...ofApps, createSecret('migrate', namespace, { DATABASE_URL: databaseUrl })];
}

const createSecret = (app, namespace, stringData) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: `gatehouse-${app}`, namespace, labels: { 'app.kubernetes.io/part-of': 'gatehouse' } },
  type: 'Opaque',
  stringData,
});
