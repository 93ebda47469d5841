import { join, relative } from 'node:path';
import { root } from '../build/project.mjs';
import { createComposeSecrets } from '../secrets/compose-secrets.mjs';
import { writeNewFiles } from '../secrets/write-new-files.mjs';
import { defineCommand, parseFlags, UsageError } from './define-command.mjs';

/** kubectl reads YAML 1.1, where a value without quotes such as `on` is no string. */
/** @type {import('yaml').DocumentOptions & import('yaml').SchemaOptions & import('yaml').ToStringOptions} */
const QUOTED = { version: '1.1', defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 };

const FLAGS = {
  format: {
    value: 'compose|kubernetes',
    help: 'env files for docker/compose.yaml, or Secrets from DATABASE_URL and, where it is used, REDIS_URL',
    default: 'compose',
  },
  namespace: { value: 'name', help: 'of the Secrets', default: 'gatehouse' },
  output: { value: 'path', help: 'instead of docker/secrets, or secrets.yaml' },
};

/** Writes files that only the user may read, and prints their names. Files that exist stay. */
export const secretsCommand = defineCommand({
  name: 'secrets',
  summary: 'writes a first set of secrets with new keys to files that only you may read',
  flags: FLAGS,
  run: async (args) => {
    const { values } = parseFlags(args, FLAGS);
    const { format, ...options } = /** @type {{ format: string, namespace: string, output?: string }} */ (
      values
    );
    const files = await makerOf(format)(options);
    writeNewFiles(files);
    for (const file of Object.keys(files)) process.stdout.write(`${relative('.', file)}\n`);
  },
});

/** @param {string} format */
function makerOf(format) {
  if (format === 'compose') return makeForCompose;
  if (format === 'kubernetes') return makeForKubernetes;
  throw new UsageError(`--format must be compose or kubernetes; it is ${format}`);
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
