import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeArguments } from '../../scripts/processes/app-processes.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { bundledTestApp } from './bundled-test-app.js';
import type { TestJob } from './queue-world.js';

/** A bound against hanging: a busy machine takes long to start a process. */
const START_MS = 60_000;

/** A process of test-app.mjs, with a producer and a consumer. */
export interface TestApp {
  port: number;
  process: ChildProcess;
  logLines: string[];
  /** Resolves with the exit code, null when a signal ended it. */
  ended: Promise<number | null>;
  kill: (signal?: NodeJS.Signals) => void;
  /** The status of /health/ready or /health/live. */
  health: (which: 'ready' | 'live') => Promise<number>;
  metrics: () => Promise<string>;
  /** @returns the status of the response, and the error code if any */
  enqueue: (
    jobs: TestJob[],
    options?: { replaceExisting?: boolean },
  ) => Promise<{ status: number; code?: string }>;
  /** Writes the jobs to the outbox in one transaction, and may roll it back. @returns the status */
  commit: (jobs: TestJob[], options?: { rollBack?: boolean }) => Promise<number>;
}

/**
 * Starts the app and waits until it listens; it may not be ready.
 * @param maxDescriptors its limit of open files
 */
export async function startTestApp(env: Record<string, string>, maxDescriptors?: number): Promise<TestApp> {
  const port = await freePort();
  const managementPort = await freePort();
  const command = [process.execPath, ...nodeArguments, await bundledTestApp()];
  const limit = maxDescriptors === undefined ? '' : `ulimit -n ${maxDescriptors}; `;
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      PORT: String(port),
      MANAGEMENT_PORT: String(managementPort),
      SHUTDOWN_DELAY_MS: '0',
      ...env,
    },
  });
  const logLines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', (line) => logLines.push(line));
  const ended = once(child, 'close').then(() => child.exitCode);
  const management = `http://127.0.0.1:${managementPort}`;
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/${path}`, { method: 'POST', body: JSON.stringify(body) });
  const app: TestApp = {
    port,
    process: child,
    logLines,
    ended,
    kill: (signal = 'SIGKILL') => {
      child.kill(signal);
    },
    health: async (which) => {
      const response = await fetch(`${management}/health/${which}`);
      await response.arrayBuffer();
      return response.status;
    },
    metrics: async () => (await fetch(`${management}/metrics`)).text(),
    commit: async (jobs, options = {}) => (await post('commit', { jobs, options })).status,
    enqueue: async (jobs, options = {}) => {
      const response = await post('enqueue', { jobs, options });
      const text = await response.text();
      const { code } = (text === '' ? {} : JSON.parse(text)) as { code?: string };
      return { status: response.status, ...(code === undefined ? {} : { code }) };
    },
  };
  await untilItListens(app);
  return app;
}

async function untilItListens(app: TestApp): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (!app.logLines.some((line) => line.includes('"listening"'))) {
    if (app.process.exitCode !== null || Date.now() > deadline)
      throw new Error(`The test app does not start:\n${app.logLines.slice(-20).join('\n')}`);
    await sleep(20);
  }
}
