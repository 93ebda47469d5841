import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildClient } from './build-client.mjs';
import { bundle, forgetBundles } from './bundle.mjs';
import { readIfThere } from '../processes/private-file.mjs';

/** @import { Children } from '../processes/children.mjs' */

/** The gateway serves the documents. */
const SOURCES = ['apps', 'libs', 'docs'];
/** The file in `dist` that says what it was compiled from. */
const FINGERPRINT = 'sources.sha256';

/**
 * Compiles apps and libs to `dist`, builds and packs the typed client, and bundles each app and command. Types of apps and libs are checked apart (`npm run typecheck`).
 * @param {import('../processes/children.mjs').Children} children
 * @param {string} root
 */
export async function build(children, root) {
  await compile(children, root);
  await buildClient(children, root);
  await bundle(root);
}

/**
 * Compiles apps and libs to `dist`, unless they are unchanged: all that making the OpenAPI document needs.
 * @param {Children} children
 * @param {string} root
 */
export async function compile(children, root) {
  const fingerprint = fingerprintOf(root);
  const mark = join(root, 'dist', FINGERPRINT);
  if (readIfThere(mark) === fingerprint) return;
  rmSync(mark, { force: true });
  const program = join(root, 'scripts/build/compile-sources.mjs');
  await children.run('build', process.execPath, [program, ...SOURCES], { order: { cwd: root } });
  for (const folder of SOURCES) removeStale(join(root, 'dist', folder), join(root, folder));
  writeFileSync(mark, fingerprint);
}

/** Changes with every source, every asset that is copied, and the compiler. @param {string} root */
function fingerprintOf(root) {
  const hash = createHash('sha256');
  const before = ['.swcrc', 'package-lock.json', 'scripts/build/compile-source.mjs'];
  for (const file of [...before, ...SOURCES.flatMap((folder) => filesOf(root, folder))])
    hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** @param {string} root @param {string} folder */
function filesOf(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
    .sort();
}

/** Makes the next build build everything: `dist` is about to hold what no whole build has written. @param {string} root */
export function forgetBuild(root) {
  rmSync(join(root, 'dist', FINGERPRINT), { force: true });
  forgetBundles(root);
}

/**
 * Removes what no longer has a source. Emptying `dist` instead would pull it away under apps that run from it.
 * @param {string} built
 * @param {string} source
 */
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
