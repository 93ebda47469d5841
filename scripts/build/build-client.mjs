import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../processes/private-file.mjs';

/** @import { Children } from '../processes/children.mjs' */

const FOLDER = 'clients/typescript';
/** The file beside what was built that says what it was made from. */
const FINGERPRINT = 'sources.sha256';
/** The tarball has a name without a version, because the gateway serves it at one path. */
const PACKED = 'dist/clients';
const PACKAGE = 'client.tgz';
/** Not beside the tarball, because everything there is copied for the gateway. */
const PACKED_FINGERPRINT = 'dist/clients.sha256';

/**
 * Compiles the typed client to `clients/typescript/dist`, and packs it to `dist/clients/client.tgz`, which the gateway serves; neither if it
 * is unchanged. Types are checked on the way, because they are what is built.
 * @param {Children} children
 * @param {string} root
 */
export async function buildClient(children, root) {
  await compileClient(children, root);
  await packClient(children, root);
}

/** @param {Children} children @param {string} root */
async function compileClient(children, root) {
  const mark = join(root, FOLDER, 'dist', FINGERPRINT);
  const fingerprint = fingerprintOf(root, sourcesOf(root));
  if (readIfThere(mark) === fingerprint) return;
  rmSync(join(root, FOLDER, 'dist'), { recursive: true, force: true });
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
  await children.run('client', process.execPath, [compiler, '-p', join(FOLDER, 'tsconfig.build.json')], {
    order: { cwd: root },
  });
  writeFileSync(mark, fingerprint);
}

/** @param {Children} children @param {string} root */
async function packClient(children, root) {
  const folder = join(root, PACKED);
  const mark = join(root, PACKED_FINGERPRINT);
  const others = ['package.json', 'README.md'].map((name) => join(FOLDER, name));
  const fingerprint = fingerprintOf(root, [...sourcesOf(root), ...others]);
  if (readIfThere(mark) === fingerprint) return;
  const unfinished = join(folder, 'unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const args = ['pack', join(root, FOLDER), '--ignore-scripts', '--pack-destination', unfinished];
  await children.run('client-pack', 'npm', args, { order: { cwd: root } });
  const [packed = ''] = readdirSync(unfinished);
  renameSync(join(unfinished, packed), join(folder, PACKAGE));
  rmSync(unfinished, { recursive: true });
  writeFileSync(mark, fingerprint);
}

/** @param {string} root */
function sourcesOf(root) {
  const sources = readdirSync(join(root, FOLDER, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(FOLDER, 'src', name))
    .sort();
  const configuration = ['tsconfig.json', 'tsconfig.build.json'].map((name) => join(FOLDER, name));
  return [
    'package-lock.json',
    'tsconfig.json',
    'scripts/build/build-client.mjs',
    ...configuration,
    ...sources,
  ];
}

/** @param {string} root @param {string[]} files */
function fingerprintOf(root, files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(readIfThere(join(root, file)) ?? '');
  return hash.digest('hex');
}
