import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded } from './guarded.mjs';
import { lastLines, openLog } from './log-file.mjs';
import { isAlive, signal, startOf, waitUntilGone } from './process-identity.mjs';

const DRAIN_MS = 20_000;
const SUCCESS = 'exit code 0';

/**
 * @typedef {object} Child one process of ours and, when it is a guard, the program that it guards
 * @property {string} name
 * @property {'app' | 'guard'} kind
 * @property {string} [logFile] none when it writes to our own output
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

  function addLogged(name, kind, start) {
    const logFile = join(logs, `${name}.log`);
    const output = openLog(logFile);
    try {
      return add({ name, kind, logFile }, () => start(output));
    } finally {
      closeSync(output);
    }
  }

  /** @returns {Child} */
  function add(about, start) {
    if (closed) throw new Error(`${about.name} is not started: the run is ending`);
    const child = { ...about, process: start(), processes: [], expected: false };
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
    startApp: (name, args, env) =>
      addLogged(name, 'app', (output) =>
        spawn(process.execPath, args, {
          detached: true,
          stdio: ['ignore', output, output, 'ipc'],
          env,
        }),
      ),

    /** Any other program. @param {import('./guarded.mjs').GuardOrder} order */
    startGuarded: (name, order, env) =>
      addLogged(name, 'guard', (output) => spawnGuarded(order, { output, env })),

    /**
     * Runs a program to its end; throws with its last lines when it fails.
     * @returns {Promise<string>} the file that holds its output
     */
    async run(name, command, args, { order, env } = {}) {
      const whole = { ...asTool(command, args), ...order };
      const child = addLogged(name, 'guard', (output) => spawnGuarded(whole, { output, env }));
      child.expected = true;
      const how = await child.ended;
      if (how !== SUCCESS) throw new Error(`${name} failed: ${story(child, how)}`);
      return child.logFile;
    },

    /** Runs a program to its end and lets it write to this process's own output. @returns {Promise<boolean>} its success */
    async runShown(name, command, args, env) {
      const start = () => spawnGuarded(asTool(command, args), { output: 'inherit', env });
      const child = add({ name, kind: 'guard' }, start);
      child.expected = true;
      return (await child.ended) === SUCCESS;
    },

    /** Runs a program to its end and writes its output to a log file. @returns {Promise<boolean>} its success */
    async runLogged(name, command, args, env) {
      const start = (output) => spawnGuarded(asTool(command, args), { output, env });
      const child = addLogged(name, 'guard', start);
      child.expected = true;
      return (await child.ended) === SUCCESS;
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
      for (const left of await waitUntilGone([...child.processes, ...orphans], 5000))
        signal(left.pid, 'SIGKILL');
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

/** A program that may start others, and that has nothing to save. */
function asTool(command, args) {
  return { command, args, group: true, hurry: { signal: 'SIGTERM', wait: 3000 } };
}

function hurry(child) {
  child.process.kill(child.kind === 'app' ? 'SIGKILL' : 'SIGTERM');
}

function story(child, how) {
  const lines = lastLines(child.logFile, child.kind === 'app' ? 15 : 40).map((line) => `\n    ${line}`);
  return `${how}${lines.join('')}\n  (all of it: ${child.logFile})`;
}
