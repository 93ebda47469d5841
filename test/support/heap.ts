import { once } from 'node:events';
import { WebSocket } from 'undici';
import type { RunningApp } from './running-app.js';

/** For the environment of an app whose heap is measured: it listens for an inspector on a free port. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/**
 * Measures what a garbage collection leaves of an app's heap, by the inspector's protocol
 * (https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/).
 * @param app one that was started with `INSPECTED`
 * @returns MiB
 */
export async function measureHeap(app: RunningApp): Promise<number> {
  const [, url] = /listening on (ws:\S+)/.exec(app.logLines.join('\n')) ?? [];
  if (url === undefined) throw new Error(`${app.name} has no inspector`);
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let lastId = 0;
  const call = async (method: string): Promise<object> => {
    const id = ++lastId;
    socket.send(JSON.stringify({ id, method }));
    for (;;) {
      const [event] = (await once(socket, 'message')) as [{ data: string }];
      const message = JSON.parse(event.data) as { id?: number; result?: object };
      if (message.id === id) return message.result ?? {};
    }
  };
  await call('HeapProfiler.enable');
  // Objects with finalizers need a second one.
  await call('HeapProfiler.collectGarbage');
  await call('HeapProfiler.collectGarbage');
  const { usedSize } = (await call('Runtime.getHeapUsage')) as { usedSize: number };
  socket.close();
  return usedSize / 1_048_576;
}
