import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawHttp } from '../support/raw-http.js';
import type { RunningApp, Stdout } from '../support/running-app.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { health, metric } from './product.js';

const PATIENCE_MS = 30_000;

/** Four times as many log lines are more than an app buffers. */
const REQUESTS = 1_000;
/** Paths of nothing, one after another on one connection, with the longest request id: little work for each log line. */
const REQUEST = `GET /nothing HTTP/1.1\r\nHost: gateway\r\nX-Request-Id: ${'a'.repeat(128)}\r\n`;
const BYTES = `${`${REQUEST}\r\n`.repeat(REQUESTS - 1)}${REQUEST}Connection: close\r\n\r\n`;

describe('an app whose log', () => {
  let suite: RunningSuite;
  const readers: ChildProcess[] = [];

  beforeAll(async () => {
    suite = await runningSuite({ without: ['token-gating', 'gateway'] });
  });

  afterAll(async () => {
    for (const reader of readers) reader.kill('SIGKILL');
    await suite.stop();
  });

  /** A process that never reads what is written to it. */
  const deafReader = (): ChildProcess => {
    const reader = spawn('sleep', ['600'], { stdio: ['pipe', 'ignore', 'ignore'] });
    readers.push(reader);
    return reader;
  };

  const stdinOf = ({ stdin }: ChildProcess): Stdout => {
    if (!stdin) throw new Error('It has no standard input');
    return stdin;
  };

  /** Fails unless each request is answered. */
  const ask = async ({ url }: RunningApp): Promise<void> => {
    const { statuses } = await rawHttp(url, BYTES, PATIENCE_MS);
    expect(statuses).toEqual(Array<number>(REQUESTS).fill(404));
    const response = await fetch(`${url}/.well-known/jwks.json`);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
  };

  const read = (): Stdout => stdinOf(deafReader());

  it.each<[string, () => Stdout, () => void]>([
    ['is full', () => openSync('/dev/full', 'w'), () => undefined],
    ['is never read', read, () => undefined],
    ['is closed', read, () => readers.at(-1)?.kill('SIGKILL')],
  ])('T42: app whose log: %s loses and counts lines, and nothing else', async (_, openLog, spoil) => {
    const app = await suite.another('gateway', { ADDRESS_REQUESTS_PER_SECOND: '100000' }, openLog());
    spoil();
    await until('lines are dropped', async () => {
      await ask(app);
      return (await metric(app, 'log_lines_dropped_total')) > 0;
    });
    expect(await health(app, 'ready')).toBe(200);
    expect(await app.stop()).toBe(0);
  });
});
