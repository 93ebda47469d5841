import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';
import { PromiseContextManager } from './promise-context-manager.js';

const NAME = createContextKey('name');
const named = (name: string) => ROOT_CONTEXT.setValue(NAME, name);

describe('PromiseContextManager', () => {
  let manager: PromiseContextManager;
  const active = () => manager.active().getValue(NAME);

  beforeEach(() => {
    manager = new PromiseContextManager().enable();
  });

  afterEach(() => {
    manager.disable();
  });

  const seenInTurns = async (): Promise<unknown[]> => {
    const seen = [active()];
    await Promise.resolve();
    seen.push(active());
    await sleep(1);
    seen.push(active());
    return seen;
  };

  it('PromiseContextManager: keeps the context of each of several works behind whatever they await', async () => {
    const works = ['a', 'b', 'c'].map((name) => manager.with(named(name), seenInTurns));
    const outside = seenInTurns();
    expect(await Promise.all(works)).toEqual(['a', 'b', 'c'].map((name) => [name, name, name]));
    expect(await outside).toEqual([undefined, undefined, undefined]);
  });

  it('PromiseContextManager: returns to the outer context behind inner work, also of work without one', async () => {
    await manager.with(named('outer'), async () => {
      expect(await manager.with(named('inner'), seenInTurns)).toEqual(['inner', 'inner', 'inner']);
      expect(await manager.with(ROOT_CONTEXT, seenInTurns)).toEqual([undefined, undefined, undefined]);
      expect(active()).toBe('outer');
    });
    expect(active()).toBeUndefined();
  });

  it('PromiseContextManager: gives callbacks the context only where it is bound, and leaves none behind', async () => {
    const seen: unknown[] = [];
    const note = (): void => {
      seen.push(active());
    };
    await manager.with(named('a'), async () => {
      setTimeout(note, 1);
      setTimeout(manager.bind(manager.active(), note), 1);
      await sleep(5);
    });
    setImmediate(note);
    await sleep(5);
    expect(seen).toEqual([undefined, 'a', undefined]);
  });

  it('PromiseContextManager: passes arguments, results and errors on', () => {
    expect(manager.with(named('a'), (one: number, two: number) => one + two, undefined, 1, 2)).toBe(3);
    const failing = (): never => {
      throw new Error('failed');
    };
    expect(() => manager.with(named('a'), failing)).toThrow('failed');
    expect(active()).toBeUndefined();
  });
});
