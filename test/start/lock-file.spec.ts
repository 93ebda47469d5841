import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
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
});
