import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ name: string, versions: string[], license: string }} Licensed */
/** @typedef {{ name?: string, version: string, license?: string, link?: boolean, dev?: boolean, devOptional?: boolean }} LockEntry */

/** Licences that a package of production may have. They ask for no more than that their text is passed on. */
const PERMITTED_LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
];

/** @type {Record<string, string>} packages whose manifest names no licence in the present form, and what their own files say */
const READ_IN_FILES = {
  busboy: 'MIT',
  eyes: 'MIT',
  'passport-strategy': 'MIT',
  pause: 'MIT',
  streamsearch: 'MIT',
  'text-encoding-utf-8': 'Unlicense',
};

/** @type {Readonly<Record<string, string>>} packages with another licence, and why they are used all the same */
export const EXCEPTIONS = {
  'rpc-websockets':
    '`@solana/web3.js` loads it, and nothing here opens its connections. It is unmodified: who gets an image may replace it by building ' +
    'the image again, and its source is in the npm registry.',
};

/**
 * @param {string} root
 * @returns {{ name: string, versions: string[], license: string }[]} what package-lock.json installs for production, by name
 */
export function listProductionLicences(root) {
  const { packages } = /** @type {{ packages: Record<string, LockEntry> }} */ (
    JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  );
  /** @type {Map<string, Licensed>} */
  const found = new Map();
  for (const [path, entry] of Object.entries(packages)) {
    const isOwn = !path.startsWith('node_modules/') || entry.link;
    if (isOwn || entry.dev || entry.devOptional) continue;
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const license = entry.license ?? READ_IN_FILES[name] ?? 'unknown';
    const known = found.get(`${name} ${license}`) ?? { name, versions: [], license };
    found.set(`${name} ${license}`, { ...known, versions: [...new Set([...known.versions, entry.version])] });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param {string} license an SPDX expression without parentheses: one of its alternatives must be permitted as a whole */
export const isPermitted = (license) =>
  license
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => PERMITTED_LICENCES.includes(one)));

/** @param {string} root @returns {string} docs/licences.md */
export function licencesPage(root) {
  const all = listProductionLicences(root);
  const licences = [...new Set(all.map(({ license }) => license))].sort();
  const rows = licences.map((license) => ({ license, some: all.filter((one) => one.license === license) }));
  return [
    '# Licences',
    '',
    'Generated from `package-lock.json` by `npm run licences`. Gatehouse itself is not licensed to others (`UNLICENSED`). These are the',
    'packages that production needs, and a few that npm installs on some platforms only; development dependencies are not passed on. Each image has the texts',
    'at `/app/LICENSES.txt`, and the packages that are really in it at `/app/sbom.cdx.json`.',
    '',
    `Permitted are ${PERMITTED_LICENCES.join(', ')} (\`scripts/docs/licences.mjs\`). A test refuses others, but for these:`,
    '',
    ...Object.entries(EXCEPTIONS).map(([name, why]) => `- \`${name}\`: ${why}`),
    '',
    ...rows.flatMap(({ license, some }) => [
      `## ${license}`,
      '',
      some.map(({ name, versions }) => `${name} ${versions.join(', ')}`).join('; '),
      '',
    ]),
  ].join('\n');
}
