import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded } from './guarded.mjs';
import { lastLines, openLog } from './log-file.mjs';
import { isAlive, signal, startOf, waitUntilGone } from './process-identity.mjs';

const DRAIN_MS = 20_000;

/**
 * @typedef {object} Child one process of ours and, when it is a guard, the program that it guards
 * @property {string} name
 * @property {'app' | 'guard'} kind
 * @property {string} logFile
 * @property {import('node:child_process').ChildProcess} process
 * @property {{ pid: number, start: string }[]} processes
 * @property {boolean} expected it may end, or was told to
 * @property {Promise<string>} ended how it ended, in words
 */

/**
 * Everything that runs beside the start script.
 * @param {{ logs: string, onChange: () => void, onUnexpectedEnd: (error: Error) => void }} options
 */
export function createChildren({ logs, onChange, onUnexpectedEnd }) {
  /** @type {Set<Child>} */
  const running = new Set();
  /** Programs whose guard was killed from outside. */
  const orphans = [];
  let hurried = false;
  let closed = false;

  /** @returns {Child} */
  function add(name, kind, start) {
    if (closed) throw new Error(`${name} is not started: the run is ending`);
    const logFile = join(logs, `${name}.log`);
    const output = openLog(logFile);
    const child = { name, kind, logFile, process: start(output), processes: [], expected: false };
    closeSync(output);
    child.ended = new Promise((resolve) => {
      child.process.once('error', (error) => resolve(error.message));
      child.process.once('exit', (code, by) => resolve(by === null ? `exit code ${code}` : `signal ${by}`));
    });
    child.process.on('message', (message) => note(child, message.pid));
    running.add(child);
    note(child, child.process.pid);
    void child.ended.then((how) => afterEnd(child, how));
    return child;
  }

  function note(child, pid) {
    const start = pid === undefined ? undefined : startOf(pid);
    if (start === undefined) return;
    child.processes.push({ pid, start });
    onChange();
  }

  function afterEnd(child, how) {
    running.delete(child);
    const left = child.processes.filter(isAlive);
    for (const orphan of left) signal(orphan.pid, 'SIGINT');
    orphans.push(...left);
    onChange();
    if (!child.expected) onUnexpectedEnd(new Error(`${child.name} ended unexpectedly: ${story(child, how)}`));
  }

  return {
    /** A Node program of ours: it ends by itself when its IPC channel closes. */
    startApp: (name, file, env) =>
      add(name, 'app', (output) =>
        spawn(process.execPath, ['--enable-source-maps', file], {
          detached: true,
          stdio: ['ignore', output, output, 'ipc'],
          env,
        }),
      ),

    /** Any other program. @param {import('./guarded.mjs').GuardOrder} order */
    startGuarded: (name, order, env) => add(name, 'guard', (output) => spawnGuarded(order, { output, env })),

    /**
     * Runs a program to its end; throws with its last lines when it fails.
     * @returns {Promise<string>} the file that holds its output
     */
    async run(name, command, args, options = {}) {
      const order = { command, args, group: true, hurry: { signal: 'SIGTERM', wait: 3000 }, ...options.order };
      const child = add(name, 'guard', (output) => spawnGuarded(order, { output, env: options.env }));
      child.expected = true;
      const how = await child.ended;
      if (how !== 'exit code 0') throw new Error(`${name} failed: ${story(child, how)}`);
      return child.logFile;
    },

    /** Ends one child and what it guards. An app drains first; a guard knows its own time limits. */
    async stop(child) {
      child.expected = true;
      if (child.kind === 'guard' && child.process.connected) child.process.disconnect();
      if (child.kind === 'app') child.process.kill('SIGTERM');
      if (hurried) hurry(child);
      const limit = child.kind === 'app' ? DRAIN_MS : 3 * DRAIN_MS;
      const late = sleep(limit, undefined, { ref: false }).then(() => child.process.kill('SIGKILL'));
      await Promise.race([child.ended, late]);
      for (const left of await waitUntilGone([...child.processes, ...orphans], 5000)) signal(left.pid, 'SIGKILL');
    },

    /** From now on every child is ended the fast way. */
    hurry() {
      hurried = true;
      running.forEach(hurry);
    },

    /** Nothing new is started, and nothing that ends is a surprise. */
    close() {
      closed = true;
      for (const child of running) child.expected = true;
    },

    /** @returns {Child[]} */
    all: () => [...running],
  };
}

function hurry(child) {
  child.process.kill(child.kind === 'app' ? 'SIGKILL' : 'SIGTERM');
}

function story(child, how) {
  const lines = lastLines(child.logFile).map((line) => `\n    ${line}`);
  return `${how}${lines.join('')}\n  (all of it: ${child.logFile})`;
}
