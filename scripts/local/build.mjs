import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.mjs';

const SOURCES = ['apps', 'libs'];

/**
 * Compiles apps and libs to `dist`, and bundles each app and command. Types are checked apart (`npm run typecheck`).
 * @param {ReturnType<import('./children.mjs').createChildren>} children
 * @param {string} root
 */
export async function build(children, root) {
  await compile(children, root);
  await bundle(root);
}

/** Compiles apps and libs to `dist`: all that making the OpenAPI document needs. */
export async function compile(children, root) {
  const swc = join(root, 'node_modules/@swc/cli/bin/swc.js');
  const args = [swc, ...SOURCES, '-d', 'dist', '--copy-files', '--ignore', '**/*.spec.ts'];
  await children.run('build', process.execPath, args, { order: { cwd: root } });
  for (const folder of SOURCES) removeStale(join(root, 'dist', folder), join(root, folder));
}

/** Removes what no longer has a source. Emptying `dist` instead would pull it away under apps that run from it. */
function removeStale(built, source) {
  if (!existsSync(built)) return;
  for (const entry of readdirSync(built, { withFileTypes: true })) {
    const from = join(source, entry.name);
    const sources = [from, from.replace(/\.js(\.map)?$/, '.ts')];
    if (!sources.some((file) => existsSync(file)) || entry.name.includes('.spec.'))
      rmSync(join(built, entry.name), { recursive: true });
    else if (entry.isDirectory()) removeStale(join(built, entry.name), from);
  }
}
