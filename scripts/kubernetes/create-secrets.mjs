import { createAppSecrets } from '../secrets/app-secrets.mjs';

/**
 * Creates a Secret for each app and for the migrations, with new keys. Its keys are the names of variables.
 * @param {{ databaseUrl: string, redisUrl?: string, namespace: string }} options
 */
export const createSecrets = ({ namespace, ...urls }) =>
  createAppSecrets(urls).map(([app, values]) => createSecret(app, namespace, values));

/** @param {string} app @param {string} namespace @param {Record<string, string>} stringData */
const createSecret = (app, namespace, stringData) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: `gatehouse-${app}`, namespace, labels: { 'app.kubernetes.io/part-of': 'gatehouse' } },
  type: 'Opaque',
  stringData,
});
