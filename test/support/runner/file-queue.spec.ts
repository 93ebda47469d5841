import { describe, expect, it } from '@jest/globals';
import { FileQueue } from './file-queue.mjs';

/** Files of a folder that has no recorded durations, so that each takes infinitely long. */
const files = (...names: string[]) =>
  names.map((path) => ({ path, context: { config: { rootDir: '/nowhere' } } }));
/** `b-2` leases the world b. */
const worldOf = ({ path }: { path: string }) => (path.includes('-') ? path[0] : undefined);

describe('the queue of test files', () => {
  it('queue of test files: gives files that lease one world to one worker, in their order', () => {
    const queue = new FileQueue(files('a', 'b-1', 'c', 'b-2', 'd', 'b-3'), worldOf);
    const one = queue.take();
    const two = queue.take();
    expect([one?.test.path, two?.test.path]).toEqual(['a', 'b-1']);
    const afterOne = queue.take(one?.group);
    expect(afterOne?.test.path).toBe('c');
    expect(queue.take(two?.group)?.test.path).toBe('b-2');
    expect(queue.take(afterOne?.group)?.test.path).toBe('d');
    expect(queue.take(two?.group)?.test.path).toBe('b-3');
    expect(queue.take(two?.group)).toBeUndefined();
  });

  it('queue of test files: gives a worker without files some of a long group, but not the last one', () => {
    const queue = new FileQueue(files('b-1', 'b-2', 'b-3'), worldOf);
    const busy = queue.take();
    const idle = queue.take();
    expect([busy?.test.path, idle?.test.path]).toEqual(['b-1', 'b-2']);
    expect(queue.take()).toBeUndefined();
    expect(queue.take(busy?.group)?.test.path).toBe('b-3');
  });

  it('queue of test files: finds the world in the source of a test file', () => {
    const oauth = ['oauth-code', 'oauth-userinfo'].map((name) => `test/identity/${name}.e2e-spec.ts`);
    const queue = new FileQueue(files('test/start/run-lock.e2e-spec.ts', ...oauth));
    expect(queue.take()?.group).toHaveLength(0);
    expect(queue.take()?.group).toHaveLength(1);
  });
});
