// Prints a first set of Secrets for Kubernetes, with new keys, from DATABASE_URL and, where it is used, REDIS_URL:
//   (umask 077 && npm run --silent secrets -- --format kubernetes > secrets.yaml)
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { createSecrets } from './kubernetes/create-secrets.mjs';

try {
  const { values } = parseArgs({
    options: { format: { type: 'string' }, namespace: { type: 'string', default: 'gatehouse' } },
  });
  if (values.format !== 'kubernetes') throw new Error('Name the format: --format kubernetes');
  const { DATABASE_URL, REDIS_URL } = process.env;
  if (!DATABASE_URL) throw new Error('Set DATABASE_URL, and REDIS_URL for an overlay with Redis.');
  const secrets = createSecrets({
    databaseUrl: DATABASE_URL,
    redisUrl: REDIS_URL,
    namespace: values.namespace,
  });
  process.stdout.write(secrets.map((secret) => stringify(secret)).join('---\n'));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
