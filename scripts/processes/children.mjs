import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded } from './guarded.mjs';
import { lastLines, openLog } from './log-file.mjs';
import { isAlive, listGroup, signal, startOf, waitUntilGone } from './process-identity.mjs';

/** @import { GuardOrder } from './guarded.mjs' */
/** @import { Identity } from './process-identity.mjs' */
/** @import { ChildProcess } from 'node:child_process' */

const DRAIN_MS = 20_000;
const SUCCESS = 'exit code 0';

/**
 * @typedef {object} Child one process of ours and, when it is a guard, the program that it guards
 * @property {string} name
 * @property {'app' | 'guard'} kind
 * @property {string} [logFile] none when it writes to our own output
 * @property {ChildProcess} process
 * @property {Identity[]} processes
 * @property {boolean} expected it may end, or was told to
 * @property {Promise<string>} ended how it ended, in words
 */

/** @typedef {Child & { logFile: string }} LoggedChild */
/** @typedef {ReturnType<typeof createChildren>} Children */
/** @typedef {{ order?: Partial<GuardOrder>, env?: NodeJS.ProcessEnv }} RunOptions */

/**
 * Everything that runs beside the start script.
 * @param {{ logs: string, onChange: () => void, onUnexpectedEnd: (error: Error) => void }} options
 */
export function createChildren({ logs, onChange, onUnexpectedEnd }) {
  /** @type {Set<Child>} */
  const running = new Set();
  /** @type {Identity[]} programs whose guard was killed from outside */
  const orphans = [];
  let hurried = false;
  let closed = false;

  /** @param {string} name @param {Child['kind']} kind @param {(output: number) => ChildProcess} start */
  function addLogged(name, kind, start) {
    const logFile = join(logs, `${name}.log`);
    const output = openLog(logFile);
    try {
      return add({ name, kind, logFile }, () => start(output));
    } finally {
      closeSync(output);
    }
  }

  /**
   * @template {Pick<Child, 'name' | 'kind' | 'logFile'>} About
   * @param {About} about
   * @param {() => ChildProcess} start
   */
  function add(about, start) {
    if (closed) throw new Error(`${about.name} is not started: the run is ending`);
    const started = start();
    /** @type {Promise<string>} */
    const ended = new Promise((resolve) => {
      started.once('error', (error) => {
        resolve(error.message);
      });
      started.once('exit', (code, by) => {
        resolve(by === null ? `exit code ${code}` : `signal ${by}`);
      });
    });
    /** @type {About & Child} */
    const child = { ...about, process: started, processes: [], expected: false, ended };
    started.on('message', (message) => {
      note(child, /** @type {{ pid: number }} */ (message).pid);
    });
    running.add(child);
    note(child, started.pid);
    void ended.then((how) => {
      afterEnd(child, how);
    });
    return child;
  }

  /** @param {Child} child @param {number | undefined} pid */
  function note(child, pid) {
    const start = pid === undefined ? undefined : startOf(pid);
    if (pid === undefined || start === undefined) return;
    child.processes.push({ pid, start });
    onChange();
  }

  /** @param {Child} child @param {string} how */
  function afterEnd(child, how) {
    running.delete(child);
    const left = child.processes.filter(isAlive);
    for (const orphan of left) signal(orphan.pid, 'SIGINT');
    orphans.push(...left);
    onChange();
    if (!child.expected) onUnexpectedEnd(new Error(`${child.name} ended unexpectedly: ${story(child, how)}`));
  }

  return {
    /**
     * A Node program of ours: it ends by itself when its IPC channel closes.
     * @param {string} name
     * @param {string[]} args of Node
     * @param {NodeJS.ProcessEnv} env
     */
    startApp: (name, args, env) =>
      addLogged(name, 'app', (output) =>
        spawn(process.execPath, args, {
          detached: true,
          stdio: ['ignore', output, output, 'ipc'],
          env,
        }),
      ),

    /**
     * Starts any other program.
     * @param {string} name
     * @param {GuardOrder} order
     * @param {NodeJS.ProcessEnv} [env]
     */
    startGuarded: (name, order, env) =>
      addLogged(name, 'guard', (output) => spawnGuarded(order, { output, env })),

    /**
     * Runs a program to its end; throws with its last lines when it fails.
     * @param {string} name
     * @param {string} command
     * @param {string[]} args
     * @param {RunOptions} [options]
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

    /**
     * Runs a program to its end and lets it write to this process's own output.
     * @param {string} name
     * @param {string} command
     * @param {string[]} args
     * @param {NodeJS.ProcessEnv} [env]
     * @returns {Promise<boolean>} its success
     */
    async runShown(name, command, args, env) {
      const start = () => spawnGuarded(asTool(command, args), { output: 'inherit', env });
      const child = add({ name, kind: 'guard' }, start);
      child.expected = true;
      return (await child.ended) === SUCCESS;
    },

    /**
     * Runs a program to its end and writes its output to a log file.
     * @param {string} name
     * @param {string} command
     * @param {string[]} args
     * @param {NodeJS.ProcessEnv} [env]
     * @returns {Promise<boolean>} its success
     */
    async runLogged(name, command, args, env) {
      const child = addLogged(name, 'guard', (output) =>
        spawnGuarded(asTool(command, args), { output, env }),
      );
      child.expected = true;
      return (await child.ended) === SUCCESS;
    },

    /**
     * Ends one child and what it guards. An app drains first; a guard knows its own time limits.
     * @param {Child} child
     */
    async stop(child) {
      child.expected = true;
      if (child.kind === 'guard' && child.process.connected) child.process.disconnect();
      if (child.kind === 'app') child.process.kill('SIGTERM');
      if (hurried) hurry(child);
      const limit = child.kind === 'app' ? DRAIN_MS : 3 * DRAIN_MS;
      const late = sleep(limit, undefined, { ref: false }).then(() => child.process.kill('SIGKILL'));
      await Promise.race([child.ended, late]);
      // What an app has forked ends by itself when the app does, a moment later.
      const forked = child.kind === 'app' && child.process.pid ? listGroup(child.process.pid) : [];
      for (const left of await waitUntilGone([...child.processes, ...forked, ...orphans], 5000))
        signal(left.pid, 'SIGKILL');
    },

    /** Ends every child the fast way from now on. */
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

/**
 * A program that may start others, and that has nothing to save.
 * @param {string} command
 * @param {string[]} args
 * @returns {GuardOrder}
 */
function asTool(command, args) {
  return { command, args, group: true, hurry: { signal: 'SIGTERM', wait: 3000 } };
}

/** @param {Child} child */
function hurry(child) {
  child.process.kill(child.kind === 'app' ? 'SIGKILL' : 'SIGTERM');
}

/** @param {Child} child @param {string} how */
function story(child, how) {
  if (child.logFile === undefined) return how;
  const lines = lastLines(child.logFile, child.kind === 'app' ? 15 : 40).map((line) => `\n    ${line}`);
  return `${how}${lines.join('')}\n  (all of it: ${child.logFile})`;
}
