import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleOf } from '../build/bundle.mjs';
import { causeOf, codeOf } from './error-facts.mjs';
import { lastLines } from './log-file.mjs';

/** @import { App } from '../suite/apps.mjs' */
/** @import { LoggedChild } from './children.mjs' */

const READY_MS = 60_000;
const ASK_MS = 2_000;

/**
 * Room for what one burst of requests leaves behind: with less, what is still in use is moved about again and again. And
 * no collections that return the memory of an idle process: on a developer's machine they cost more than they give.
 */
export const v8Flags = ['--max-semi-space-size=32', '--no-memory-reducer'];

/**
 * Flags of V8 for processes that live for seconds, as those of most tests do: compile only what is really hot, and
 * collect rarely and on one thread. Not more rarely: the first touch of a page of memory can cost a virtual machine
 * more than a collection.
 */
export const shortLivedV8Flags = [
  // Node 24 refuses to start with it.
  ...(Number.parseInt(process.versions.node, 10) < 22 ? ['--interrupt-budget=2000000'] : []),
  '--min-semi-space-size=16',
  '--single-threaded-gc',
];

/** How Node is told to run an app. Tests set TEST_V8_FLAGS (jest-run.mjs). */
export const nodeArguments = [
  ...v8Flags,
  ...(process.env.TEST_V8_FLAGS?.split(' ') ?? []),
  '--import',
  pathToFileURL(join(import.meta.dirname, 'end-with-parent.mjs')).href,
];

/** Undoes what deployments do not have: they return the memory of an idle process. */
export const deploymentV8Flags = ['--memory-reducer'];

/**
 * Starts the apps; those that the working tree does not have are left out.
 * @param {object} options
 * @param {import('./children.mjs').Children} options.children
 * @param {string} options.root
 * @param {import('../suite/apps.mjs').App[]} options.apps
 * @param {(app: import('../suite/apps.mjs').App) => NodeJS.ProcessEnv} options.environment
 * @param {(app: import('../suite/apps.mjs').App) => string[]} [options.nodeOptions] more arguments for Node
 */
export function startApps({ children, root, apps, environment, nodeOptions = () => [] }) {
  const present = apps.filter(({ name }) => existsSync(bundleOf(root, name)));
  return present.map((app) => ({
    ...app,
    child: children.startApp(
      app.name,
      [...nodeArguments, ...nodeOptions(app), bundleOf(root, app.name)],
      environment(app),
    ),
  }));
}

/**
 * Waits until each app says on its management port that it is ready.
 * @param {(App & { child: LoggedChild })[]} started
 */
export async function untilReady(started) {
  const deadline = Date.now() + READY_MS;
  for (const { name, managementPort, child } of started) {
    let answer = await askReady(managementPort);
    while (answer !== undefined) {
      if (Date.now() > deadline)
        throw new Error([`${name} is not ready: ${answer}`, ...lastLines(child.logFile, 15)].join('\n    '));
      await sleep(100);
      answer = await askReady(managementPort);
    }
  }
}

/**
 * @param {string | number | undefined} managementPort
 * @returns {Promise<string | undefined>} why an app is not ready, undefined when it is
 */
export async function askReady(managementPort) {
  // Most are asked while they start, and a refused connection costs a quarter of a refused request.
  const refusal = await tryConnect(managementPort);
  if (refusal !== undefined) return refusal;
  const url = `http://127.0.0.1:${managementPort}/health/ready`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ASK_MS) });
    const body = await response.text();
    return response.ok ? undefined : `${response.status} ${body.slice(0, 300)}`;
  } catch (error) {
    return codeOf(causeOf(error)) ?? (error instanceof Error ? error.name : String(error));
  }
}

/**
 * @param {string | number | undefined} port
 * @returns {Promise<string | undefined>} why no connection was made, undefined when one was
 */
function tryConnect(port) {
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.setTimeout(ASK_MS, () => socket.destroy(new Error('TimeoutError')));
    socket.once('connect', () => {
      resolve(undefined);
      socket.destroy();
    });
    socket.once('error', (error) => {
      resolve(codeOf(error) ?? error.message);
    });
  });
}
