import { randomBytes } from 'node:crypto';
import { createAppSecrets } from './app-secrets.mjs';

const PASSWORD_BYTES = 24;

/**
 * The files that docker/compose.yaml names, with new keys.
 * @returns {Record<string, string>} texts by file name
 */
export function createComposeSecrets() {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const databaseUrl = `postgres://gatehouse:${password}@postgres:5432/gatehouse`;
  const postgres = { POSTGRES_USER: 'gatehouse', POSTGRES_DB: 'gatehouse', POSTGRES_PASSWORD: password };
  const all = [...createAppSecrets({ databaseUrl }), ['postgres', postgres]];
  return Object.fromEntries(all.map(([name, values]) => [`${name}.env`, toEnvFile(values)]));
}

/** Without quotes, which Docker and Compose read differently. Neither expands anything in such values. */
function toEnvFile(values) {
  for (const [name, value] of Object.entries(values))
    if (/[\s#$'\\]/.test(value)) throw new Error(`${name} needs quotes in an env file`);
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
