import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const listSpecs = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('spec.ts'))
    .map((name) => join(folder, name));

/** The faults of a section of docs/faults.md. */
const listFaults = (heading: string): string[] => {
  const [, section = ''] = read('docs/faults.md').split(`\n## ${heading}\n`);
  const rows = section.split('\n## ')[0] ?? '';
  return [...rows.matchAll(/^\| (T\d{2,3}[a-z]?) /gm)].map(([, fault = '']) => fault);
};

/** A title begins with the faults that its test proves, before a colon. */
const TITLE = /['"`](T\d{2,3}[a-z]?(?:, T\d{2,3}[a-z]?)*): /g;

const listNamedFaults = (source: string): string[] =>
  [...source.matchAll(TITLE)].flatMap(([, faults = '']) => faults.split(', '));

describe('the faults of docs/faults.md', () => {
  const covered = listFaults('Covered by tests');
  const missing = listFaults('Not covered yet');
  const named = new Set(['test', 'apps', 'libs'].flatMap(listSpecs).map(read).flatMap(listNamedFaults));

  it('docs/faults.md: are listed once', () => {
    const all = [...covered, ...missing];
    expect(covered.length).toBeGreaterThan(40);
    expect(all.filter((fault, index) => all.indexOf(fault) !== index)).toEqual([]);
  });

  it('docs/faults.md: are each named by the title of a test, if it says that tests cover them', () => {
    expect(covered.filter((fault) => !named.has(fault))).toEqual([]);
  });

  it('docs/faults.md: have every fault that the title of a test names', () => {
    expect([...named].filter((fault) => !covered.includes(fault))).toEqual([]);
  });
});
