import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { nodeArguments } from '../../scripts/processes/app-processes.mjs';

/** A program of ours, started as the start script starts it. */
const start = (program: string) =>
  spawn(process.execPath, [...nodeArguments, '--eval', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

describe('a program that the start script started', () => {
  it('program that the start script started: ends when its work is done, though its parent lives on', async () => {
    const [code] = (await once(start('setTimeout(() => undefined, 100)'), 'exit')) as [number];
    expect(code).toBe(0);
  });

  it('program that the start script started: ends when its parent does, though its work is not done', async () => {
    const program = start('setInterval(() => undefined, 1_000); process.send("ready")');
    await once(program, 'message');
    program.disconnect();
    const [code] = (await once(program, 'exit')) as [number];
    expect(code).toBe(1);
  });
});
