import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../processes/error-facts.mjs';
import { createRebuilder } from './rebuild.mjs';
import { createSourceScan } from './source-scan.mjs';

/** A look at 1,900 files takes 15 ms, and unlike the events of a file system it misses nothing on any of them. */
const LOOK_MS = 300;
/** An editor that saves several files, or a branch that is switched, is waited for until nothing changes any more. */
const QUIET_MS = 150;

/**
 * Watches `apps` and `libs`, and restarts each watched app that a change concerns. What does not compile is said, and the app goes on
 * as it is; its next change tries again.
 * @param {object} options
 * @param {string} options.root
 * @param {readonly string[]} options.watched names of apps
 * @param {import('../processes/app-runner.mjs').AppRunner} options.runner
 * @param {(line: string) => void} options.say
 * @param {(error: Error) => void} options.fail what to do with an error that no source can cause
 * @returns {{ stop: () => void }}
 */
export function watchSources({ root, watched, runner, say, fail }) {
  const scan = createSourceScan(root);
  const rebuilder = createRebuilder(root);
  /** @type {Set<string>} apps whose last build or start failed: any change tries them again */
  const failed = new Set();
  let isStopped = false;
  const wasStopped = () => isStopped;

  async function watch() {
    while (!isStopped) {
      await sleep(LOOK_MS);
      const changed = new Set(scan.findChanges());
      if (changed.size > 0) await handle(await untilQuiet(changed));
    }
  }

  /** Adds what changes until nothing does. @param {Set<string>} changed */
  async function untilQuiet(changed) {
    for (;;) {
      await sleep(QUIET_MS);
      const more = scan.findChanges();
      if (more.length === 0) return [...changed];
      for (const file of more) changed.add(file);
    }
  }

  /** @param {string[]} changed */
  async function handle(changed) {
    if (isStopped) return;
    const since = Date.now();
    const [first = ''] = changed;
    const what = changed.length === 1 ? first : `${first} and ${changed.length - 1} more`;
    const problem = await rebuilder.compile(changed);
    if (problem !== undefined) {
      say(`\n[dev] ${what} changed and does not compile; nothing is restarted:\n${indent(problem)}`);
      return;
    }
    const affected = watched.filter((app) => failed.has(app) || rebuilder.isAffected(app, changed));
    if (affected.length === 0) say(`[dev] ${what} changed, which no watched app loads.`);
    if (changed.some((file) => file.includes('/migrations/')))
      say('[dev] Migrations run when the suite starts: end it and start it again.');
    for (const app of affected) await restart(app, { what, since });
  }

  /** @param {string} app @param {{ what: string, since: number }} options */
  async function restart(app, { what, since }) {
    failed.add(app);
    const problem = await rebuilder.bundle(app);
    if (isStopped) return;
    if (problem !== undefined) {
      const state = runner.isRunning(app) ? 'it goes on as it was' : 'it is not running';
      say(`\n[dev] ${app} cannot be built after ${what} changed; ${state}:\n${indent(problem)}`);
      return;
    }
    try {
      await runner.restart(app);
    } catch (error) {
      if (!wasStopped())
        say(`\n[dev] ${app} does not start after ${what} changed:\n${indent(messageOf(error))}`);
      return;
    }
    failed.delete(app);
    say(`[dev] ${app} restarted ${((Date.now() - since) / 1000).toFixed(1)} s after ${what} changed`);
  }

  watch().catch((/** @type {unknown} */ error) => {
    if (!isStopped) fail(error instanceof Error ? error : new Error(String(error)));
  });
  return {
    stop() {
      isStopped = true;
      runner.close();
      rebuilder.end();
    },
  };
}

/** @param {string} text */
const indent = (text) => text.trimEnd().replaceAll(/^/gm, '    ');
