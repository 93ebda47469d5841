import { parentPort } from 'node:worker_threads';
import type { ParentMessage, WorkerMessage } from './action-outcome.js';
import { ActionRun, createActionSandbox } from './run-action.js';

/** The entry of the worker thread: says that it is loaded, runs one action, and asks for the signatures that it wants. */
async function main(port: NonNullable<typeof parentPort>): Promise<void> {
  const sandbox = await createActionSandbox();
  const signatures = new Map<number, (signature: string) => void>();
  const send = (message: WorkerMessage) => {
    port.postMessage(message);
  };

  let requests = 0;
  const sign = (bytes: Uint8Array): Promise<string> =>
    new Promise((resolve) => {
      requests += 1;
      signatures.set(requests, resolve);
      send({ type: 'sign', id: requests, bytes });
    });

  port.on('message', (message: ParentMessage) => {
    if (message.type === 'signed') signatures.get(message.id)?.(message.signature);
    else
      void new ActionRun(sandbox, sign, message.timeoutMs).run(message.program).then((outcome) => {
        send({ type: 'ended', outcome });
      });
  });
  send({ type: 'ready' });
}

if (parentPort) void main(parentPort);
