import type { Database } from '@app/database';
import { describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { StateHooks } from './state-hooks.js';

interface Change {
  readonly id: string;
  readonly state: 'signed' | 'final' | 'expired';
}

const manager = {} as EntityManager;

/** Says how the change ran instead of running it. */
const database = {
  transaction: () => Promise.resolve('transaction'),
  withConnection: () => Promise.resolve('statement'),
} as unknown as Database;

describe('StateHooks', () => {
  it('StateHooks: gives each hook the changes to its states, in one call', async () => {
    const hooks = new StateHooks<Change>();
    const calls: (readonly Change[])[] = [];
    hooks.add(
      (_manager, changes) => {
        calls.push(changes);
        return Promise.resolve();
      },
      ['final', 'expired'],
    );
    const [a, b, c] = [
      { id: 'a', state: 'final' },
      { id: 'b', state: 'signed' },
      { id: 'c', state: 'expired' },
    ] as const;
    await hooks.run(manager, [a, b, c]);
    await hooks.run(manager, [b]);
    expect(calls).toEqual([[a, c]]);
  });

  it('StateHooks: takes a transaction only for a state that a hook wants', async () => {
    const hooks = new StateHooks<Change>();
    hooks.add(() => Promise.resolve(), ['final']);
    const run = (...states: Change['state'][]) =>
      hooks.runWith(database, states, () => Promise.resolve('not run'));
    expect(await run('signed')).toBe('statement');
    expect(await run('expired', 'final')).toBe('transaction');
  });
});
