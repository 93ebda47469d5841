// Writes a first set of secrets with new keys to files that only you may read, and prints their names. Files that exist stay.
//   npm run secrets                          docker/secrets/<app>.env, for docker/compose.yaml
//   npm run secrets -- --format kubernetes   secrets.yaml, from DATABASE_URL and, where it is used, REDIS_URL
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../processes/error-facts.mjs';
import { root } from '../build/project.mjs';
import { createComposeSecrets } from '../secrets/compose-secrets.mjs';
import { writeNewFiles } from '../secrets/write-new-files.mjs';

/** kubectl reads YAML 1.1, where a value without quotes such as `on` is no string. */
/** @type {import('yaml').DocumentOptions & import('yaml').SchemaOptions & import('yaml').ToStringOptions} */
const QUOTED = { version: '1.1', defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 };

try {
  const { values } = parseArgs({
    options: {
      format: { type: 'string', default: 'compose' },
      namespace: { type: 'string', default: 'gatehouse' },
      output: { type: 'string' },
    },
  });
  /** @type {Record<string, typeof makeForCompose | typeof makeForKubernetes>} */
  const makers = { compose: makeForCompose, kubernetes: makeForKubernetes };
  const make = makers[values.format];
  if (make === undefined) throw new Error('--format must be compose or kubernetes');
  const files = await make(values);
  writeNewFiles(files);
  for (const file of Object.keys(files)) process.stdout.write(`${relative('.', file)}\n`);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}

/** @param {{ output?: string }} options @returns {Record<string, string>} texts by path */
function makeForCompose({ output = join(root, 'docker/secrets') }) {
  const files = Object.entries(createComposeSecrets());
  return Object.fromEntries(files.map(([name, text]) => [join(output, name), text]));
}

/** @param {{ namespace: string, output?: string }} options */
async function makeForKubernetes({ namespace, output = join(root, 'secrets.yaml') }) {
  const { DATABASE_URL, REDIS_URL } = process.env;
  if (!DATABASE_URL) throw new Error('Set DATABASE_URL, and REDIS_URL for an overlay with Redis.');
  // Loaded late: the set for Compose needs no installed packages.
  const [{ stringify }, { createSecrets }] = await Promise.all([
    import('yaml'),
    import('../kubernetes/create-secrets.mjs'),
  ]);
  const secrets = createSecrets({ databaseUrl: DATABASE_URL, redisUrl: REDIS_URL, namespace });
  return { [output]: secrets.map((secret) => stringify(secret, QUOTED)).join('---\n') };
}
