import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { listFiles, read } from '../support/project-files.js';

/** Programs without types and lint. The number only shrinks. */
const MOST_UNCHECKED = 37;

const readConfig = (path: string): unknown => ts.parseConfigFileTextToJson(path, read(path)).config;
const programs = listFiles(['.mjs']).filter((path) => !path.startsWith('dist/'));
/** The lists have paths and one kind of pattern, `folder/*.mjs`. */
const matches = (path: string, pattern: string): boolean =>
  pattern.endsWith('/*.mjs')
    ? path.slice(0, path.lastIndexOf('/')) === pattern.slice(0, -'/*.mjs'.length)
    : path === pattern;
const matched = (patterns: readonly string[]) =>
  programs.filter((path) => patterns.some((pattern) => matches(path, pattern)));

describe('programs', () => {
  const { exclude } = readConfig('tsconfig.json') as { exclude: string[] };
  const { ignorePatterns } = readConfig('.oxlintrc.json') as { ignorePatterns: string[] };
  const unchecked = matched(exclude);

  it('tsconfig.json: excludes the programs that lint leaves out, and no more than once', () => {
    expect(unchecked).toEqual(matched(ignorePatterns));
    expect(unchecked.length).toBeGreaterThan(0);
    expect(unchecked.length).toBeLessThanOrEqual(MOST_UNCHECKED);
  });

  it('programs: have no type `any`, and no comment that silences the compiler', () => {
    const silenced = programs
      .filter((path) => !unchecked.includes(path))
      .filter((path) =>
        /\{[^{}\n]*\bany\b[^{}\n]*\} |@ts-(ignore|nocheck|expect-error)/.test(commentsOf(path)),
      );
    expect(silenced).toEqual([]);
  });
});

/** Lines of comments with tags, in which JSDoc has its types. */
const commentsOf = (path: string): string =>
  read(path)
    .split('\n')
    .filter((line) => /^\s*(\/\*\*|\*|\/\/)/.test(line) && line.includes('@'))
    .join('\n');
