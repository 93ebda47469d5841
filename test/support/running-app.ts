import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { askReady, nodeArguments } from '../../scripts/processes/app-processes.mjs';
import { bundleOf } from '../../scripts/build/bundle.mjs';
import { root } from '../../scripts/build/project.mjs';

/** A bound against hanging: without bundles, an app loads thousands of files. */
const READY_MS = 60_000;
const STOP_MS = 35_000;
const SHOWN_LINES = 20;

/** The destination of an app's log, when the test does not read it. */
export type Stdout = 'pipe' | number | Writable;

export interface RunningApp {
  name: string;
  url: string;
  managementUrl: string;
  /** Everything it has written so far, stdout and stderr. */
  logLines: string[];
  process: ChildProcess;
  /** Ends it with SIGTERM, or as told, and waits. @returns its exit code, null when a signal ended it */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/**
 * Starts a built app and waits until it says that it is ready. It holds an IPC channel, so that it ends even when the
 * test's own process is killed.
 * @param env the whole configuration, PORT and MANAGEMENT_PORT included
 */
export async function runningApp(
  name: string,
  env: NodeJS.ProcessEnv,
  entry = bundleOf(root, name),
  stdout: Stdout = 'pipe',
): Promise<RunningApp> {
  const app = spawnApp(name, env, entry, stdout);
  const deadline = Date.now() + READY_MS;
  for (
    let answer = await askReady(env.MANAGEMENT_PORT);
    answer !== undefined;
    answer = await askReady(env.MANAGEMENT_PORT)
  ) {
    if (hasEnded(app.process) || Date.now() > deadline) {
      const code = await app.stop('SIGKILL');
      const story = app.logLines.slice(-SHOWN_LINES).join('\n');
      throw new Error(`${name} is not ready (${answer}, exit code ${code ?? 'none'}):\n${story}`);
    }
    await sleep(50);
  }
  return app;
}

/** Starts a built app without waiting for it: for tests of a start that fails. */
export function spawnApp(
  name: string,
  env: NodeJS.ProcessEnv,
  entry = bundleOf(root, name),
  stdout: Stdout = 'pipe',
): RunningApp {
  const child = spawn(process.execPath, [...nodeArguments, entry], {
    stdio: ['ignore', stdout, 'pipe', 'ipc'],
    env: { ...env, PATH: process.env.PATH },
  });
  const logLines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => logLines.push(line));
  const host = env.HOST ?? '127.0.0.1';
  return {
    name,
    url: `http://${host}:${env.PORT ?? ''}`,
    managementUrl: `http://${host}:${env.MANAGEMENT_PORT ?? ''}`,
    logLines,
    process: child,
    stop: (signal = 'SIGTERM') => stop(child, signal),
  };
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (!hasEnded(child)) {
    const closed = once(child, 'close'); // after the last line was read
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await closed;
    clearTimeout(timer);
  }
  return child.exitCode;
}

/** Whether a child exited or was killed. */
export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
