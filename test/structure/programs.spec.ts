import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import ts from 'typescript';
import { root } from '../../scripts/build/project.mjs';
import { listFiles, read } from '../support/project-files.js';

const readConfig = (path: string): unknown => ts.parseConfigFileTextToJson(path, read(path)).config;
const programs = listFiles(['.mjs']).filter((path) => !path.startsWith('dist/'));

it('tsconfig.json: includes every program, and lint leaves none out', () => {
  const { include, exclude } = readConfig('tsconfig.json') as { include: string[]; exclude: string[] };
  const { ignorePatterns } = readConfig('.oxlintrc.json') as { ignorePatterns: string[] };
  const isIn = (path: string, folders: readonly string[]): boolean =>
    folders.some((folder) => path.startsWith(`${folder}/`));
  expect(programs.filter((path) => !isIn(path, include) || isIn(path, exclude))).toEqual([]);
  expect(
    ignorePatterns.filter((pattern) => !['dist/**', '.local/**', 'coverage/**', '**/*.js'].includes(pattern)),
  ).toEqual([]);
});

it('programs: have no type `any`, and no comment that silences the compiler', () => {
  const silenced = programs.filter((path) =>
    /\{[^{}\n]*\bany\b[^{}\n]*\} |@ts-(ignore|nocheck|expect-error)/.test(commentsOf(path)),
  );
  expect(silenced).toEqual([]);
});

it('importBuilt: names only modules and folders that have a source, in whole paths that this test can read', () => {
  const missing = programs.flatMap((path) => {
    const text = read(path);
    if (!text.includes('importBuilt(')) return [];
    const named = [...text.matchAll(/'((?:apps|libs)\/[\w./-]+?)(?:\.js)?'/g)].map(([, name = '']) => name);
    return named
      .filter((name) => !existsSync(join(root, `${name}.ts`)) && !existsSync(join(root, name)))
      .map((name) => `${path}: ${name}`);
  });
  expect(missing).toEqual([]);
  expect(programs.filter((path) => /importBuilt\(`\$\{\w+\}\//.test(read(path)))).toEqual([]);
});

/** Lines of comments with tags, in which JSDoc has its types. */
const commentsOf = (path: string): string =>
  read(path)
    .split('\n')
    .filter((line) => /^\s*(\/\*\*|\*|\/\/)/.test(line) && line.includes('@'))
    .join('\n');
