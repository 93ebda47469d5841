import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { withFileLock, writePrivateFile } from './private-file.js';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-private-'));
  file = join(folder, 'secrets.env');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('private file: leaves nothing but itself', () => {
  writePrivateFile(file, 'first');
  writePrivateFile(file, 'second');
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['second', ['secrets.env']]);
});

it('file lock: an old one is taken over, by one process after the other', async () => {
  writeFileSync(`${file}.lock`, '1', { mode: 0o600 });
  utimesSync(`${file}.lock`, 1, 1);
  let holders = 0;
  const work = async (): Promise<number> => {
    const most = ++holders;
    await new Promise((resolve) => setTimeout(resolve, 10));
    holders--;
    return most;
  };
  expect(await Promise.all([1, 2, 3].map(() => withFileLock(file, work)))).toEqual([1, 1, 1]);
  expect(readdirSync(folder)).toEqual([]);
});

it('file lock: a holder that was too slow leaves the lock of whoever took over', async () => {
  await withFileLock(file, () => {
    writeFileSync(`${file}.lock`, 'another', { mode: 0o600 });
    return Promise.resolve();
  });
  expect(existsSync(`${file}.lock`)).toBe(true);
});
