import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The top level that the project was asked to have. */
const NAMED_FILES = ['package.json', 'nest-cli.json', 'tsconfig.json', 'README.md'];
const NAMED_FOLDERS = ['apps', 'libs', 'docker', 'k8s', 'test'];

const PACKAGE_COUNT = 13;

/** Packages that run without an import in TypeScript, and what loads them. */
const LOADED_OTHERWISE: Readonly<Record<string, string>> = {
  ethers: 'siwe requires it; a stand-in of this repository has the name (ADR 20)',
  passport: '@nestjs/passport requires it',
};

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface NamedPackage {
  readonly name: string;
  readonly places: readonly string[];
}

/** The table of docs/architecture.md. */
function readNamedPackages(): NamedPackage[] {
  const [, rest = ''] = read('docs/architecture.md').split('\n## Named packages\n');
  const [section = ''] = rest.split('\n## ');
  return [...section.matchAll(/^\| `([^`]+)` +\| ([^|]+?) +\|/gm)].map(([, name = '', places = '']) => ({
    name,
    places: [...places.matchAll(/`([^`]+)`/g)].map(([, place = '']) => place),
  }));
}

/** An import or export for its values: types are gone at run time. */
const VALUE_IMPORT =
  /^(?:import|export) (?!type\b)(?:[^'";]*? from )?'([^']+)'|\bimport\('([^']+)'\)|\bresolve\('([^']+)'\)/gm;

/** The specifiers that a module loads at run time. An import of nothing but inline types is no import. */
const listSpecifiers = (source: string): string[] =>
  [...source.matchAll(VALUE_IMPORT)]
    .filter(([statement]) => !/^import \{(?:\s*type [^,}]+,?)+\s*\}/.test(statement))
    .map(([, from, dynamic, resolved]) => from ?? dynamic ?? resolved ?? '');

const toPackageName = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** The apps and libs (`apps/gateway`) and `test` that load each package at run time; specs of apps and libs are left out. */
function findPlaces(): Map<string, Set<string>> {
  const places = new Map<string, Set<string>>();
  for (const folder of ['apps', 'libs', 'test'])
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      const file = join(folder, name);
      if (!file.endsWith('.ts') || (folder !== 'test' && file.endsWith('.spec.ts'))) continue;
      const place = folder === 'test' ? 'test' : file.split('/').slice(0, 2).join('/');
      for (const specifier of listSpecifiers(read(file))) {
        const packageName = toPackageName(specifier);
        places.set(packageName, (places.get(packageName) ?? new Set()).add(place));
      }
    }
  return places;
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const found = findPlaces();
/** jest gives tests its functions as a package of its own. */
found.set('jest', found.get('@jest/globals') ?? new Set());

describe('what the project was asked to have', () => {
  it.each(NAMED_FILES)('top level: has the file %s, which is not empty', (file) => {
    expect(read(file).trim()).not.toBe('');
  });

  it.each(NAMED_FOLDERS)('top level: has the folder %s, which is not empty', (folder) => {
    expect(existsSync(join(root, folder)) && statSync(join(root, folder)).isDirectory()).toBe(true);
    expect(readdirSync(join(root, folder))).not.toEqual([]);
  });

  const named = readNamedPackages();

  it('docs/architecture.md: lists thirteen named packages, each in package.json', () => {
    expect(named).toHaveLength(PACKAGE_COUNT);
    const wanted = { ...manifest.dependencies, ...manifest.devDependencies };
    expect(named.filter(({ name }) => wanted[name] === undefined)).toEqual([]);
  });

  it.each(named)('docs/architecture.md: names every app and lib that loads $name', ({ name, places }) => {
    const actual = [...(found.get(name) ?? [])].filter((place) => name === 'jest' || place !== 'test');
    expect(actual.toSorted()).toEqual(places.toSorted());
    expect(places).not.toEqual([]);
  });

  it('package.json: has no dependency that neither an app nor a lib loads', () => {
    const unused = Object.keys(manifest.dependencies).filter((name) => {
      const isLoaded = [...(found.get(name) ?? [])].some((place) => place !== 'test');
      return isLoaded === name in LOADED_OTHERWISE;
    });
    expect(unused).toEqual([]);
  });
});
