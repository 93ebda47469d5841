import { randomBytes } from 'node:crypto';
import { createAppSecrets } from './app-secrets.mjs';

/** @import { AppSecrets } from './app-secrets.mjs' */

const PASSWORD_BYTES = 24;

/** URLs of nodes often hold a key, so they stand beside the other secrets. */
const NODES = `# Nodes of chains, which identity, token-gating and account-kit read (docs/configuration.md). Restart the apps after a change.
#RPC_URL_1=https://…
#RPC_URL_8453=https://…
# How account-kit sends user operations of a chain, if not by EXECUTOR_KEYS.
#BUNDLER_URL_8453=https://…
# Indexer of Solana's main network, for Core and compressed assets. It needs the node of the network, too.
#RPC_URL_8000000000101=https://…
#DAS_URL_8000000000101=https://…
`;

/**
 * The files that docker/compose.yaml names, with new keys.
 * @returns {Record<string, string>} texts by file name
 */
export function createComposeSecrets() {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const databaseUrl = `postgres://gatehouse:${password}@postgres:5432/gatehouse`;
  const postgres = { POSTGRES_USER: 'gatehouse', POSTGRES_DB: 'gatehouse', POSTGRES_PASSWORD: password };
  /** @type {AppSecrets[]} */
  const all = [...createAppSecrets({ databaseUrl }), ['postgres', postgres]];
  return {
    ...Object.fromEntries(all.map(([name, values]) => [`${name}.env`, toEnvFile(values)])),
    'nodes.env': NODES,
  };
}

/**
 * Without quotes, which Docker and Compose read differently. Neither expands anything in such values.
 * @param {Record<string, string>} values
 */
function toEnvFile(values) {
  for (const [name, value] of Object.entries(values))
    if (/[\s#$'\\]/.test(value)) throw new Error(`${name} needs quotes in an env file`);
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
