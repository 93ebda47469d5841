import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../processes/private-file.mjs';

const FOLDER = 'clients/typescript';
/** The file beside the build that says what it was made from. */
const FINGERPRINT = 'sources.sha256';

/**
 * Compiles the typed client to `clients/typescript/dist`, unless it is unchanged. Types are checked on the way, because they are what is
 * built. A tree without the client, such as that of an image, has nothing to build.
 * @param {import('../processes/children.mjs').Children} children
 * @param {string} root
 */
export async function buildClient(children, root) {
  if (!existsSync(join(root, FOLDER))) return;
  const mark = join(root, FOLDER, 'dist', FINGERPRINT);
  const fingerprint = fingerprintOf(root);
  if (readIfThere(mark) === fingerprint) return;
  rmSync(join(root, FOLDER, 'dist'), { recursive: true, force: true });
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
  await children.run('client', process.execPath, [compiler, '-p', join(FOLDER, 'tsconfig.build.json')], {
    order: { cwd: root },
  });
  writeFileSync(mark, fingerprint);
}

/** @param {string} root */
function fingerprintOf(root) {
  const sources = readdirSync(join(root, FOLDER, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(FOLDER, 'src', name))
    .sort();
  const hash = createHash('sha256');
  const configuration = ['tsconfig.json', 'tsconfig.build.json'].map((name) => join(FOLDER, name));
  for (const file of ['package-lock.json', 'tsconfig.json', ...configuration, ...sources])
    hash.update(`${file}\0`).update(readIfThere(join(root, file)) ?? '');
  return hash.digest('hex');
}
