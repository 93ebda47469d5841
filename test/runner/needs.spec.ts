import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';
import { PROGRAMS } from '../../scripts/tests/test-programs.mjs';
import { pathOf } from '../support/needs.js';

/** Our own sources below test/, without those that test the table itself. */
const sources = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:ts|mjs)$/.test(name) && !name.startsWith('runner/'))
  .map((name) => ({ name: `test/${name}`, text: readFileSync(join(root, 'test', name), 'utf8') }));

const filesWith = (pattern: RegExp): string[] =>
  sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

describe('programs that tests need', () => {
  it('pathOf: rejects a test that has not declared the program', () => {
    expect(() => pathOf('chromium')).toThrow("put it into describeWith('chromium') (test/support/needs.ts)");
  });

  it('pathOf: is the only way to a program, a browser launcher or kubectl', () => {
    expect(filesWith(/test-programs\.mjs/)).toEqual(['test/support/needs.ts']);
    const launchers = filesWith(/^import \{[^}]*\bchromium\b[^}]*\} from 'playwright-core'/m);
    expect(launchers).toEqual(['test/pages/chromium.ts']);
    expect(filesWith(/\bunpackKubectl\(/)).toEqual([
      'test/k8s/support/build-manifests.ts',
      'test/k8s/support/kubectl-stand-in.mjs',
    ]);
    for (const name of Object.values(PROGRAMS).flatMap(({ commands = [] }) => commands))
      expect([name, filesWith(new RegExp(`(?:spawn|exec)\\w*\\)?\\(\\s*'${name}'`))]).toEqual([name, []]);
  });

  it('README.md: says what is skipped without each program of Debian', () => {
    const [, table = ''] = readFileSync(join(root, 'README.md'), 'utf8').split('| not installed');
    const [rows = ''] = table.split('\n\n');
    for (const { package: name } of Object.values(PROGRAMS)) if (name) expect(rows).toContain(`\`${name}\``);
  });
});
