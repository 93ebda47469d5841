import { setTimeout as sleep } from 'node:timers/promises';
import { END_LEASES } from './runner/leases-message.mjs';

interface Leased {
  stop: () => Promise<unknown>;
}

const worlds = new Map<string, Promise<Leased>>();
/** The runner kills a worker one second after it disconnected from it. */
const STOP_MS = 800;

/**
 * A world that the test files of one worker use one after another, started by the first of them; the runner gives them to
 * one worker (runner/file-queue.mjs). A test leaves nothing behind that another one sees: it makes clients, users and
 * applications of its own. Worlds that are killed or counted are started with `start` instead.
 * @param configuration what the world is started with; each one is a world of its own
 */
export function lease<T extends Leased, C>(
  kind: string,
  configuration: C,
  start: (configuration: C) => Promise<T>,
): Promise<T> {
  const key = `${kind} ${JSON.stringify(configuration)}`;
  const running = worlds.get(key);
  if (running !== undefined) return running as Promise<T>;
  const world = start(configuration);
  worlds.set(key, world);
  // The next file starts it anew, instead of failing by an error that is not its own.
  world.catch(() => worlds.delete(key));
  return world;
}

async function endLeases(): Promise<void> {
  const running = [...worlds.values()];
  worlds.clear();
  await Promise.allSettled(running.map(async (world) => (await world).stop()));
}

process.on('message', (message) => {
  if (message === END_LEASES) void endLeases();
});
process.once('disconnect', () => {
  void Promise.race([endLeases(), sleep(STOP_MS)]).finally(() => process.exit());
});
