import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { listFiles, read } from '../support/project-files.js';

const EXTENSIONS = ['.ts', '.mjs', '.eta', '.json'];
/** Files that a process, a build or another package begins with. */
const ENTRY =
  /\/(?:index|main|migrate|generate)\.ts$|\.(?:command|worker)\.ts$|\.d\.ts$|\.spec\.ts$|\/browser\//;
const EXPORT = /^export (?:declare )?(?:async )?(?:abstract )?(?:const|let|function\*?|class) (\w+)/gm;
/** A single home for all units of time: a unit that nobody uses today is no dead code. */
const WHOLE_TABLES = ['libs/common/src/durations.ts'];

/** A barrel passes names on, and does not use what it names. */
const usesNames = (file: string): boolean =>
  !/^libs\/.*\/index\.ts$/.test(file) && !file.startsWith('libs/openapi/openapi.json');

it('exports: each constant, function and class of apps, libs, scripts and bench is used by another file', () => {
  const folders = ['apps', 'libs', 'scripts', 'bench', 'test', 'docs/examples'];
  const files = [...folders.flatMap((folder) => listFiles(EXTENSIONS, folder)).filter(usesNames), '.ci/run'];
  const filesByWord = new Map<string, number>();
  for (const file of files)
    for (const word of new Set(read(file).match(/\w+/g)))
      filesByWord.set(word, (filesByWord.get(word) ?? 0) + 1);
  const exported = files
    .filter((file) => /\.(?:ts|mjs)$/.test(file))
    .filter((file) => !/^(?:docs|test)\//.test(file) && !WHOLE_TABLES.includes(file))
    .flatMap((file) => [...read(file).matchAll(EXPORT)].map(([, name = '']) => ({ file, name })));
  expect(exported.length).toBeGreaterThan(1_000);
  expect(exported.filter(({ name }) => filesByWord.get(name) === 1)).toEqual([]);
});

it('sources: each file of apps and libs is imported by another one', () => {
  const sources = ['apps', 'libs'].flatMap((folder) => listFiles(['.ts'], folder));
  const importers = [
    ...sources,
    ...['test', 'bench', 'scripts'].flatMap((folder) => listFiles(['.ts', '.mjs'], folder)),
  ];
  const imported = new Set(
    importers.flatMap((file) =>
      [...read(file).matchAll(/'(\.\.?\/[^'\n]+)\.js'/g)].map(
        ([, path = '']) => `${join(dirname(file), path)}.ts`,
      ),
    ),
  );
  expect(sources.filter((file) => !ENTRY.test(file) && !imported.has(file))).toEqual([]);
});
