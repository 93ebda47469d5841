import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { whyInstall } from '../../scripts/local/dependencies.mjs';
import { root } from '../../scripts/local/project.mjs';

type Entries = Record<string, { version: string; integrity?: string; optional?: boolean }>;

describe('whether an installation is needed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-lockfile-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const why = (wanted: Entries, installed?: Entries): string | undefined => {
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
    const project = { '': { version: '1.0.0' } };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { ...project, ...wanted } }));
    if (installed !== undefined) {
      mkdirSync(join(folder, 'node_modules'));
      const noted = join(folder, 'node_modules/.package-lock.json');
      writeFileSync(noted, JSON.stringify({ packages: installed }));
    }
    return whyInstall(folder);
  };
  const one = { 'node_modules/one': { version: '1.0.0', integrity: 'sha512-1' } };

  it('is not, when everything wanted is there', () => {
    expect(why(one, one)).toBeUndefined();
    expect(whyInstall(root)).toBeUndefined();
  });

  it('is, when nothing is there, or a package is missing, changed or no longer wanted', () => {
    expect(why(one)).toBe('nothing is installed yet');
    expect(why(one, {})).toBe('node_modules/one is missing');
    expect(why(one, { 'node_modules/one': { version: '1.0.0', integrity: 'sha512-2' } })).toContain(
      'another version',
    );
    expect(why({}, one)).toBe('node_modules/one is no longer wanted');
  });

  it('does not miss what belongs to another platform', () => {
    expect(why({ 'node_modules/win': { version: '1.0.0', optional: true } }, {})).toBeUndefined();
  });
});
