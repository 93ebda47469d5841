import { existsSync } from 'node:fs';
import { apps } from '../suite/apps.mjs';
import { bundleOf } from '../build/bundle.mjs';

/**
 * @param {string} root
 * @returns {{ app: string, file: string }[]} the built migrate command of every app that has one
 */
export function migrateCommands(root) {
  return apps
    .map(({ name }) => ({ app: name, file: bundleOf(root, name, 'migrate.js') }))
    .filter(({ file }) => existsSync(file));
}

/**
 * Brings the schema of every app up to date.
 * @param {import('../processes/children.mjs').Children} children
 * @param {string} root
 * @param {string} databaseUrl
 */
export async function migrate(children, root, databaseUrl) {
  for (const { app, file } of migrateCommands(root)) {
    const env = { NODE_ENV: 'development', ...process.env, DATABASE_URL: databaseUrl };
    await children.run(`migrate-${app}`, process.execPath, ['--enable-source-maps', file], { env });
  }
}
