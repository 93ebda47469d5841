import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startOf } from '../../scripts/processes/process-identity.mjs';
import { takeRunLock } from '../../scripts/processes/run-lock.mjs';

describe('the lock of a run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-lock-'));
  const file = join(folder, 'run.json');
  const write = (pid: number, start: string | undefined): void => {
    writeFileSync(file, JSON.stringify({ pid, start, since: 'then', children: [] }));
  };

  beforeEach(() => {
    rmSync(file, { force: true });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('lock of a run: is taken once, readable by its owner only, and free again when released', () => {
    const lock = takeRunLock(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(takeRunLock(file)).toMatchObject({ other: { pid: process.pid } });
    if ('release' in lock) lock.release();
    expect(takeRunLock(file)).not.toHaveProperty('other');
  });

  it('lock of a run: is taken over from a process that has ended, and hands out what that one wrote', async () => {
    const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    write(child.pid ?? NaN, startOf(child.pid ?? NaN));
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(takeRunLock(file)).toMatchObject({ leftover: { pid: child.pid } });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid });
  });

  it('lock of a run: is not fooled by another process that got the same pid', () => {
    write(process.ppid, 'another start');
    expect(takeRunLock(file)).not.toHaveProperty('other');
  });

  it('lock of a run: says so when the file is broken', () => {
    writeFileSync(file, '{');
    expect(() => takeRunLock(file)).toThrow(`${file} is not valid JSON`);
  });
});
