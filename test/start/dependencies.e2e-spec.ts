import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { whyInstall } from '../../scripts/build/dependencies.mjs';
import { root } from '../../scripts/build/project.mjs';

interface Entry {
  version: string;
  integrity?: string;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
}
type Entries = Record<string, Entry>;

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

  it('installation: is not, when everything wanted is there', () => {
    expect(why(one, one)).toBeUndefined();
    expect(whyInstall(root)).toBeUndefined();
  });

  it('installation: is, when nothing is there, or a package is missing, changed or no longer wanted', () => {
    expect(why(one)).toBe('nothing is installed yet');
    expect(why(one, {})).toBe('node_modules/one is missing');
    expect(why(one, { 'node_modules/one': { version: '1.0.0', integrity: 'sha512-2' } })).toContain(
      'another version',
    );
    expect(why({}, one)).toBe('node_modules/one is no longer wanted');
  });

  it('whyInstall: does not miss optional packages, nor binaries of another platform', () => {
    const other = { os: [process.platform], cpu: [process.arch === 'arm64' ? 'x64' : 'arm64'] };
    const optional = { version: '1.0.0', optional: true };
    expect(why({ 'node_modules/some': optional }, {})).toBeUndefined();
    expect(why({ 'node_modules/win': { ...optional, ...other } }, {})).toBeUndefined();
    expect(why({ 'node_modules/aix': { ...optional, os: ['aix'], cpu: ['ppc64'] } }, {})).toBeUndefined();
  });

  it('whyInstall: misses the binary of this platform, which another machine or an option left out', () => {
    const own = { version: '1.0.0', optional: true, os: [process.platform], cpu: [process.arch] };
    expect(why({ 'node_modules/own': own }, {})).toBe('node_modules/own is missing');
    expect(why({ 'node_modules/own': own }, { 'node_modules/own': own })).toBeUndefined();
  });
});
