import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { Registry } from 'prom-client';
import { root } from '../../../scripts/build/project.mjs';
import {
  createClusterRefusalOptions,
  createReconnectOptions,
  createRefusalCounter,
  findRefusalCode,
  REDIS_REFUSALS,
  type RedisRefusalCode,
} from './redis-refusals.js';

/** The texts of Redis 7.0, from its sources. */
const TEXTS: Readonly<Record<RedisRefusalCode, string>> = {
  READONLY: "READONLY You can't write against a read only replica.",
  MASTERDOWN: "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  LOADING: 'LOADING Redis is loading the dataset in memory',
  NOREPLICAS: 'NOREPLICAS Not enough good replicas to write.',
  MISCONF:
    'MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk. Commands that may modify the data set are disabled',
  OOM: "OOM command not allowed when used memory > 'maxmemory'.",
  BUSY: 'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  CLUSTERDOWN: 'CLUSTERDOWN Hash slot not served',
  TRYAGAIN: 'TRYAGAIN Multiple keys request during rehashing of slot',
  MOVED: 'MOVED 3999 127.0.0.1:6381',
  ASK: 'ASK 3999 127.0.0.1:6381',
};
const CODES = Object.keys(REDIS_REFUSALS) as RedisRefusalCode[];
const RECONNECTING: readonly string[] = ['READONLY', 'MASTERDOWN', 'LOADING', 'NOREPLICAS', 'MISCONF'];
const REDIRECTIONS: readonly string[] = ['MOVED', 'ASK'];

const retryStrategy = () => 1;

describe('redis refusals', () => {
  it.each(CODES)(
    'findRefusalCode: finds %s in its text, also in that of a script of Redis 7 and 6',
    (code) => {
      const text = TEXTS[code];
      expect(findRefusalCode(new Error(text))).toBe(code);
      expect(findRefusalCode(new Error(`${text} script: 1c03, on @user_script:1.`))).toBe(code);
      const inScript = `ERR Error running script (call to f_1c03): @user_script:1: @user_script: 1: -${text}`;
      expect(findRefusalCode(new Error(inScript))).toBe(code);
    },
  );

  it.each([
    'ERR unknown command',
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    'NOTBUSY No scripts in execution right now.',
    'BUSYGROUP Consumer Group name already exists',
    'BUSYKEY Target key name already exists.',
    'NOSCRIPT No matching script. Please use EVAL.',
    'Connection is closed.',
    'ASKING',
  ])('findRefusalCode: finds none in "%s"', (text) => {
    expect(findRefusalCode(new Error(text))).toBeUndefined();
    expect(findRefusalCode(text)).toBeUndefined();
  });

  it.each(CODES)(
    'createReconnectOptions: counts %s, and reconnects only if another server may take writes',
    (code) => {
      const onRefusal = jest.fn();
      const error = new Error(TEXTS[code]);
      const reconnects = RECONNECTING.includes(code);
      const fails = createReconnectOptions({ retryStrategy, onRefusal });
      expect(fails.reconnectOnError(error)).toBe(reconnects && 1);
      const resends = createReconnectOptions({ retryStrategy, onRefusal, resends: true });
      expect(resends.reconnectOnError(error)).toBe(reconnects && 2);
      expect(onRefusal.mock.calls).toEqual([[code], [code]]);
    },
  );

  it.each(CODES)(
    'createClusterRefusalOptions: never reconnects for %s, and counts it unless it is a redirection',
    (code) => {
      const onRefusal = jest.fn();
      expect(createClusterRefusalOptions(onRefusal).reconnectOnError(new Error(TEXTS[code]))).toBe(false);
      expect(onRefusal.mock.calls).toEqual(REDIRECTIONS.includes(code) ? [] : [[code]]);
    },
  );

  it('createRefusalCounter: counts by code, once for all connections of an app', async () => {
    const registry = new Registry();
    createRefusalCounter(registry)('OOM');
    createRefusalCounter(registry)('OOM');
    expect(await registry.getSingleMetricAsString('redis_write_refusals_total')).toContain(
      'redis_write_refusals_total{code="OOM"} 2',
    );
  });

  it.each(CODES)('docs/runbook.md: says what to do about %s', (code) => {
    const runbook = readFileSync(join(root, 'docs/runbook.md'), 'utf8');
    expect(runbook.split('## RedisRefusesWrites')[1]?.split('\n## ')[0]).toContain(`\`${code}\``);
  });

  it('docs/operations.md: names the codes with which apps are not ready', () => {
    const operations = readFileSync(join(root, 'docs/operations.md'), 'utf8');
    const [, codes] = /Redis answers and refuses writes \(([A-Z, ]+)\)/.exec(operations) ?? [];
    expect(codes?.split(', ').toSorted()).toEqual(RECONNECTING.toSorted());
  });
});
