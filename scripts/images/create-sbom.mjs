import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ version: string, license?: string, integrity?: string }} LockEntry */
/** @typedef {Record<string, LockEntry>} Lock by path */

/** How `dist/bundles/LICENSES.txt` begins the licence of a package. */
const HEADING = /^== (?<name>\S+) (?<version>\d\S*) \((?<license>.+)\)$/gm;
const SPDX = /^\(?[\w.+-]+(?: (?:OR|AND|WITH) [\w.+-]+)*\)?$/;

/**
 * The packages in the bundles and those that stand beside them, as CycloneDX 1.5, the same for the same build. `npm sbom`
 * leaves out packages of production that development dependencies need, too.
 * @param {string} root with a finished build
 * @param {string[]} packages outside of the bundles
 * @returns {string}
 */
export function createSbom(root, packages) {
  const { version } = /** @type {{ version: string }} */ (
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  );
  const { packages: lock } = /** @type {{ packages: Lock }} */ (
    JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  );
  const bundled = [...readFileSync(join(root, 'dist/bundles/LICENSES.txt'), 'utf8').matchAll(HEADING)];
  const beside = packages.map((name) => ({ name, ...lock[`node_modules/${name}`] }));
  const found = [...bundled.map(({ groups = {} }) => groups), ...beside].map((one) => toComponent(one, lock));
  const components = [...new Map(found.map((one) => [one.purl, one])).values()];
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', name: 'gatehouse', version } },
    components: components.sort((a, b) => (a.purl < b.purl ? -1 : 1)),
  };
  return `${JSON.stringify(sbom, undefined, 1)}\n`;
}

/** @param {{ name?: string, version?: string, license?: string }} component @param {Lock} lock */
function toComponent({ name = '', version = '', license = 'unknown' }, lock) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const hash = findIntegrity(lock, name, version);
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: [SPDX.test(license) ? { expression: license } : { license: { name: license } }],
    ...(hash === undefined ? {} : { hashes: [{ alg: 'SHA-512', content: hash }] }),
  };
}

/**
 * @param {Lock} lock
 * @param {string} name
 * @param {string} version
 * @returns {string | undefined} the SHA-512 of the package's archive in hexadecimal
 */
function findIntegrity(lock, name, version) {
  const suffix = `node_modules/${name}`;
  const entry = Object.entries(lock).find(
    ([path, one]) => (path === suffix || path.endsWith(`/${suffix}`)) && one.version === version,
  );
  const base64 = entry?.[1].integrity?.replace('sha512-', '');
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString('hex');
}
