import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonIfThere, writePrivate } from '../private-file.mjs';
import { local } from '../project.mjs';

const NAME = '@pimlico/alto';
const VERSION = '0.0.20';
const INTEGRITY =
  'sha512-mhgVMVTiVnB57CCyrPyRFk1rUxIBPjRQSEKnXvKHbmGeXBXo3ZzIqWSlEMGeE4RbWC2whLUpYJl66BThOLziSg==';
/** Newer ones want an `ox` that the registry does not have. */
const VIEM_VERSION = '2.57.0';

/** Beside the repository's own packages: alto is GPL, so nothing of ours depends on it or loads it. */
const folder = join(local, `alto-${VERSION}`);

/** @returns {string | undefined} the folder of an ERC-4337 bundler that is run as a process of its own; undefined if it is not installed */
export function findAlto() {
  const installed = readJsonIfThere(join(folder, 'node_modules/.package-lock.json'));
  return installed?.packages[`node_modules/${NAME}`]?.integrity === INTEGRITY ? folder : undefined;
}

/**
 * Installs alto with npm, without the install scripts of its packages. The versions stay those of the first time.
 * @param {ReturnType<import('../children.mjs').createChildren>} children
 * @returns {Promise<string>} its folder
 */
export async function installAlto(children) {
  mkdirSync(folder, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { [NAME]: VERSION },
    overrides: { viem: VIEM_VERSION },
  };
  writePrivate(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const command = existsSync(join(folder, 'package-lock.json')) ? 'ci' : 'install';
  const args = [command, '--ignore-scripts', '--no-audit', '--no-fund'];
  await children.run('npm-install-alto', 'npm', args, { order: { cwd: folder } });
  const installed = findAlto();
  if (installed === undefined) throw new Error(`npm installed another ${NAME} ${VERSION} than was reviewed`);
  return installed;
}
