import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';

const EXAMPLES = ['express', 'nextjs', 'python'];
const IS_CODE = /\.(?:mjs|js|py)$/;
const NOT_OURS = /(?:^|\/)(?:node_modules|\.next|\.venv|__pycache__)\//;
/** Code, without lines that are empty or a comment alone. A reader takes it in at one look. */
const MAX_LINES = 200;
/** Set by the shell or by npm. */
const OTHER_VARIABLES = ['NODE_ENV'];

const read = (...path: string[]): string => readFileSync(join(root, 'examples', ...path), 'utf8');

const codeOf = (example: string): string[] =>
  readdirSync(join(root, 'examples', example), { recursive: true, encoding: 'utf8' })
    .filter((name) => IS_CODE.test(name) && !NOT_OURS.test(name))
    .map((name) => read(example, name));

it.each(EXAMPLES)('examples/%s: pins exact versions, and each package by integrity', (example) => {
  if (!existsSync(join(root, 'examples', example, 'package.json'))) {
    const packages = read(example, 'requirements.txt').trim().split('\n');
    expect(packages.filter((line) => !/^[\w-]+==\d+(?:\.\d+)+$/.test(line))).toEqual([]);
    return;
  }
  const { dependencies = {}, private: isPrivate } = JSON.parse(read(example, 'package.json')) as {
    dependencies?: Record<string, string>;
    private: boolean;
  };
  expect(isPrivate).toBe(true);
  const wanted = Object.entries(dependencies);
  expect(wanted.length).toBeGreaterThan(0);
  expect(wanted.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  const { packages } = JSON.parse(read(example, 'package-lock.json')) as {
    packages: Record<string, { integrity?: string; resolved?: string }>;
  };
  for (const [path, { integrity, resolved }] of Object.entries(packages).filter(([name]) => name !== '')) {
    expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-[\w+/]{86}==$/)]);
    expect([path, resolved]).toEqual([path, expect.stringMatching(/^https:\/\/registry\.npmjs\.org\//)]);
  }
});

it.each(EXAMPLES)(
  'examples/%s: .env.example names each variable that the code reads, and README says how to start',
  (example) => {
    const named = [...read(example, '.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    const text = codeOf(example).join('\n');
    const destructured = [...text.matchAll(/const \{([^}]+)\} =\s*process\.env;/g)].flatMap(
      ([, names = '']) => names.split(',').map((name) => name.trim().split(/[\s=]/)[0] ?? ''),
    );
    const direct = [
      ...text.matchAll(/(?:process\.env\.|os\.environ(?:\.get\(|\[)["']|setting\(')(\w+)/g),
    ].map(([, name = '']) => name);
    const used = [...new Set([...destructured, ...direct])].filter(
      (name) => name !== '' && !OTHER_VARIABLES.includes(name),
    );
    expect(used.length).toBeGreaterThan(4);
    expect(used.filter((name) => !named.includes(name))).toEqual([]);
    expect(read(example, 'README.md')).toContain('cp .env.example .env');
  },
);

it.each(EXAMPLES)('examples/%s: is small, and reads nothing outside of its folder', (example) => {
  const code = codeOf(example);
  const lines = code
    .flatMap((text) => text.split('\n'))
    .filter((line) => !/^\s*(?:\/\/.*|\*.*|\/\*.*|#.*)?$/.test(line));
  expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
  expect(code.filter((text) => /from '(?:\.\.\/){3,}|from '@app\//.test(text))).toEqual([]);
});
