import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ActionRunnerService } from '../../apps/account-kit/src/actions/action-runner.service.js';
import { root } from '../../scripts/build/project.mjs';

/** The worker as the bundle of the app finds it. */
const worker = 'dist/bundles/account-kit/assets/apps/account-kit/src/actions/action.worker.js';
const workerUrl = pathToFileURL(join(root, worker));
/** A runner with time for a busy machine. */
const runner = new ActionRunnerService(workerUrl, 30_000);
/** A runner for actions that run until their time is over. */
const hasty = new ActionRunnerService(workerUrl, 300);
/** A runner for signers that do not answer: they are asked within the ordinary time. */
const ordinary = new ActionRunnerService(workerUrl);
afterAll(() => {
  for (const one of [runner, hasty, ordinary]) one.onApplicationShutdown();
});

const echo = (bytes: Uint8Array) => Promise.resolve(`signed ${Buffer.from(bytes).toString('hex')}`);

const run = (source: string, { params = {}, sign = echo, tenantId = 'tenant' } = {}) =>
  runner.run(tenantId, { source, params: JSON.stringify(params) }, sign);

async function resultOf(source: string, options: Parameters<typeof run>[1] = {}): Promise<unknown> {
  const outcome = await run(source, options);
  if (outcome.outcome !== 'finished') throw new Error(JSON.stringify(outcome));
  return JSON.parse(outcome.json);
}

describe('a custom action', () => {
  it('custom action: has its default export as the result', async () => {
    expect(await resultOf('export default { sum: params.a + params.b }', { params: { a: 1, b: 2 } })).toEqual(
      {
        sum: 3,
      },
    );
    expect(await resultOf('export default undefined')).toBeNull();
  });

  it('custom action: gets signatures of text and of bytes', async () => {
    const source = `
      const first = await sign('hé');
      export default [first, ...(await Promise.all([sign(new Uint8Array([0, 255])), sign(new Uint8Array())]))];`;
    expect(await resultOf(source)).toEqual(['signed 68c3a9', 'signed 00ff', 'signed ']);
  });

  it.each([
    ['throw new Error("no")', 'Error: no'],
    ['throw "text"', 'text'],
    ['1 +', "SyntaxError: unexpected token in expression: ''"],
    ['const a = 1;', 'TypeError: the action has no default export'],
    ['export default new Promise(() => {})', 'it waits for a promise that nothing settles'],
    ['import fs from "fs"; export default 1', "ReferenceError: could not load module 'fs'"],
    ['export default sign(5)', 'TypeError: sign takes text or a Uint8Array'],
    ['export default sign("a".repeat(16385))', 'RangeError: sign takes at most 16384 bytes'],
    ['const a = {}; a.a = a; export default a', 'TypeError: circular reference'],
  ])('custom action: %s fails', async (source, message) => {
    expect(await run(source)).toEqual({ outcome: 'failed', message });
  });

  it('custom action: fails with a bounded message', async () => {
    const outcome = await run('throw new Error("a".repeat(10000))');
    expect(outcome).toEqual({ outcome: 'failed', message: expect.stringMatching(/^Error: a{493}$/) });
  });
});

describe('the sandbox of a custom action', () => {
  it.each([
    'this.constructor.constructor("return process")()',
    'globalThis.constructor.constructor("return process")()',
    '(() => {}).constructor("return process")()',
    'sign.constructor("return process")()',
    'params.constructor.constructor("return process")()',
    'sign("a").constructor.constructor("return process")()',
  ])('sandbox of a custom action: %s finds nothing outside', async (expression) => {
    const outcome = await run(`export default String(${expression})`);
    expect(outcome).toMatchObject({
      outcome: 'failed',
      message: expect.stringMatching(/^(Reference|Type)Error/),
    });
  });

  it('sandbox of a custom action: has no network, no clock, no random numbers and no modules', async () => {
    const names = [
      'fetch',
      'Date',
      'performance',
      'setTimeout',
      'require',
      'process',
      'std',
      'os',
      'WebAssembly',
    ];
    const found = await resultOf(
      `export default [${names.map((name) => `typeof ${name}`).join()}, typeof Math.random]`,
    );
    expect(found).toEqual([...names, 'Math.random'].map(() => 'undefined'));
    await expect(run('export default (await import("os")).default')).resolves.toMatchObject({
      outcome: 'failed',
    });
  });

  it('sandbox of a custom action: freezes the parameters, in their depth', async () => {
    const source = `
      const attempt = (change) => { try { change(); return 'changed'; } catch (error) { return error.name; } };
      export default [
        attempt(() => { params.a.b = 2; }),
        attempt(() => { params.list.push(1); }),
        attempt(() => { delete params.a; }),
        attempt(() => { globalThis.params = {}; }),
        attempt(() => { Object.defineProperty(globalThis, 'params', { value: 1 }); }),
        attempt(() => { Object.defineProperty(globalThis, 'sign', { value: 1 }); }),
        params,
      ]`;
    const params = { a: { b: 1 }, list: [] };
    expect(await resultOf(source, { params })).toEqual([
      ...Array.from({ length: 6 }, () => 'TypeError'),
      params,
    ]);
  });

  it('sandbox of a custom action: passes on what the action asks for, whatever it does to the prototypes', async () => {
    const source = `
      JSON.stringify = () => 'replaced';
      Object.prototype.then = undefined;
      Array.prototype[0] = 'replaced';
      Uint8Array.prototype.toString = () => 'replaced';
      String.prototype.padStart = () => 'zz';
      globalThis.Uint8Array = Array;
      export default await sign('text');`;
    expect(await resultOf(source)).toBe('signed 74657874');
  });

  it('sandbox of a custom action: leaves nothing for the next run', async () => {
    await run('globalThis.left = 1; Object.prototype.left = 2; export default 1');
    expect(await resultOf('export default [typeof globalThis.left, typeof ({}).left]')).toEqual([
      'undefined',
      'undefined',
    ]);
  });
});

describe('the limits of a custom action', () => {
  it.each([
    ['time', 'while (true);'],
    ['time', 'try { while (true); } catch { while (true); } export default 1'],
    ['time', 'for (;;) await null;'],
    ['time', 'export default /(a+)+$/.test("a".repeat(40) + "b")'],
    // Native code, which does not look at the time.
    ['time', 'export default [].indexOf.call({ length: 2 ** 53 - 1 }, 1)'],
    ['time', 'export default { toJSON() { while (true); } }'],
    [
      'time',
      'const error = new Error(); Object.defineProperty(error, "name", { get() { while (true); } }); throw error',
    ],
    ['memory', 'const all = []; for (;;) all.push(new Uint8Array(2 ** 24));'],
    ['memory', 'globalThis.all = []; for (;;) globalThis.all.push(new Array(2 ** 16).fill(0));'],
    ['memory', 'export default "a".repeat(2 ** 28)'],
    ['memory', 'export default new ArrayBuffer(2 ** 26).byteLength'],
    ['stack', 'const deeper = () => deeper() + 1; export default deeper()'],
    ['stack', 'export default eval("(".repeat(100000))'],
    ['result', 'export default "a".repeat(65536)'],
    ['signatures', 'for (let i = 0; i < 17; i += 1) await sign("a"); export default 1'],
    ['signatures', 'for (;;) { try { sign("a"); } catch {} }'],
    ['signatures', 'export default sign("é".repeat(16384))'],
  ])('%s: %s', async (limit, source) => {
    const chosen = limit === 'time' ? hasty : runner;
    const outcome = await chosen.run('tenant', { source, params: '{}' }, echo);
    expect(outcome).toEqual({ outcome: 'limit_exceeded', limit });
  });

  it('limits of a custom action: leaves most of the memory to the action', async () => {
    expect(await resultOf('export default new ArrayBuffer(48 * 2 ** 20).byteLength')).toBe(48 * 2 ** 20);
  });

  it('limits of a custom action: admits as many signatures as the limit says', async () => {
    const source = 'for (let i = 0; i < 15; i += 1) await sign("a"); export default await sign("b")';
    expect(await resultOf(source)).toBe('signed 62');
  });

  it('limits of a custom action: ends with the error of the signer', async () => {
    const sign = () => Promise.reject(new Error('away'));
    await expect(run('try { await sign("a"); } catch {} export default 1', { sign })).rejects.toThrow('away');
  });

  it('limits of a custom action: says when the signer did not answer in time', async () => {
    const sign = () => new Promise<string>(() => undefined);
    const program = { source: 'export default sign("a")', params: '{}' };
    await expect(ordinary.run('tenant', program, sign)).rejects.toMatchObject({
      statusCode: 503,
      details: { code: 'action_signer_unavailable' },
    });
  });
});

describe('the places of custom actions', () => {
  /** An action that ends when `release` is called. */
  const hold = (tenantId: string) => {
    let release: (signature: string) => void = () => undefined;
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const sign = () => {
      begin();
      return new Promise<string>((resolve) => {
        release = resolve;
      });
    };
    const outcome = run('export default await sign("a")', { tenantId, sign });
    return {
      begun,
      outcome,
      release: () => {
        release('0x');
      },
    };
  };

  it('places of custom actions: leaves a place to others while one tenant has many waiting', async () => {
    const first = hold('greedy');
    await first.begun;
    const waiting = [
      run('export default 1', { tenantId: 'greedy' }),
      run('export default 1', { tenantId: 'greedy' }),
    ];
    expect(await resultOf('export default "modest"', { tenantId: 'modest' })).toBe('modest');
    first.release();
    expect(await Promise.all([first.outcome, ...waiting])).toHaveLength(3);
  });

  it('places of custom actions: runs two at a time, and refuses more than eight that wait of one tenant', async () => {
    const [first, second] = [hold('first'), hold('second')];
    await Promise.all([first.begun, second.begun]);
    const waiting = Array.from({ length: 8 }, () => run('export default 1', { tenantId: 'third' }));
    await expect(run('export default 1', { tenantId: 'third' })).rejects.toMatchObject({ statusCode: 429 });
    let hasEnded = false;
    void Promise.race(waiting).then(() => {
      hasEnded = true;
    });
    const third = hold('fourth');
    first.release();
    await first.outcome;
    await third.begun;
    expect(hasEnded).toBe(true);
    second.release();
    third.release();
    await Promise.all([second.outcome, third.outcome, ...waiting]);
  });

  it('places of custom actions: ends what runs and waits when the app stops', async () => {
    const own = new ActionRunnerService(workerUrl);
    const program = { source: 'while (true);', params: '{}' };
    const outcomes = [own.run('a', program, echo), own.run('a', program, echo), own.run('b', program, echo)];
    const settled = Promise.allSettled(outcomes);
    own.onApplicationShutdown();
    for (const outcome of await settled)
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { details: { code: 'actions_unavailable' } },
      });
    await expect(own.run('a', program, echo)).rejects.toMatchObject({ statusCode: 503 });
  });
});
