import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  EXCEPTIONS,
  isPermitted,
  licencesPage,
  listProductionLicences,
} from '../../scripts/local/licences.mjs';
import { root } from '../../scripts/local/project.mjs';

interface LockEntry {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

const { packages } = read('package-lock.json') as { packages: Record<string, LockEntry> };
const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> };
const entries = Object.entries(packages).filter(([path]) => path !== '');

/** The part of a path in node_modules that names the package. */
const toName = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

describe('package-lock.json', () => {
  it('T40: has the integrity of every package', () => {
    expect(entries.length).toBeGreaterThan(100);
    const unverified = entries.filter(([, entry]) => !/^sha512-[\w+/]{86}==$/.test(entry.integrity ?? ''));
    expect(unverified).toEqual([]);
  });

  it('T40: resolves every package to the npm registry', () => {
    // Without `resolved`, npm asks the configured registry for the exact version.
    const elsewhere = entries.filter(
      ([, { resolved, version = '', link = false }]) =>
        link ||
        !/^\d+\.\d+\.\d+[\w.+-]*$/.test(version) ||
        (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')),
    );
    expect(elsewhere).toEqual([]);
  });

  it('T40: has install scripts only in packages that package.json allows or forbids by name', () => {
    const withScripts = entries.filter(([, { hasInstallScript = false }]) => hasInstallScript);
    const names = new Set(withScripts.map(([path, { name = toName(path) }]) => name));
    expect([...names].toSorted()).toEqual(Object.keys(allowScripts).toSorted());
  });

  it('T40: names no package by a URL, a folder or a repository', () => {
    const manifest = read('package.json') as Record<string, Record<string, string> | undefined>;
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'];
    const wanted = kinds.flatMap((kind) => Object.entries(manifest[kind] ?? {}));
    expect(wanted.length).toBeGreaterThan(100);
    // Exact versions, so that only a changed lock file changes what is installed.
    const others = wanted.filter(
      ([, version]) => !/^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+[\w.-]*$/.test(version),
    );
    expect(others).toEqual([]);
  });
});

describe('the licences of packages of production', () => {
  const all = listProductionLicences(root);

  it('are permitted, or are exceptions with a reason', () => {
    expect(all.length).toBeGreaterThan(100);
    const refused = all.filter(({ license }) => !isPermitted(license)).map(({ name }) => name);
    expect(refused).toEqual(Object.keys(EXCEPTIONS));
  });

  it.each(['GPL-3.0-only', 'unknown', 'MIT AND GPL-3.0-only', '(GPL-2.0-only OR AGPL-3.0-only)'])(
    'would not be permitted as %s',
    (license) => {
      expect(isPermitted(license)).toBe(false);
    },
  );

  it.each(['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC'])('would be permitted as %s', (license) => {
    expect(isPermitted(license)).toBe(true);
  });

  it('are listed in docs/licences.md', () => {
    expect(readFileSync(join(root, 'docs/licences.md'), 'utf8')).toBe(licencesPage(root));
  });
});
