import { join } from 'node:path';
import { appsOnPorts, findApp } from './apps.mjs';
import { banner } from './banner.mjs';
import { bringUp } from './bring-up.mjs';
import { demoFileIn } from '../demo/demo-client.mjs';
import { createChildren } from '../processes/children.mjs';
import { EndRequested, watchForEnd } from '../processes/ending.mjs';
import { messageOf } from '../processes/error-facts.mjs';
import { waitForLeftovers } from '../processes/leftovers.mjs';
import { isAlive } from '../processes/process-identity.mjs';
import { checkPorts, planPorts } from './port-plan.mjs';
import { readJsonIfThere } from '../processes/private-file.mjs';
import { createProgress } from '../processes/progress.mjs';
import { watchSources } from '../build/watch-sources.mjs';
import { ensureLocal, local, logs, root } from '../build/project.mjs';
import { DEV_USAGE, parseDevOptions, parseStartOptions, START_USAGE } from './start-options.mjs';
import { currentRun, takeRunLock } from '../processes/run-lock.mjs';
import { runGuide } from './run-guide.mjs';
import { tearDown } from './tear-down.mjs';

/** @import { Running, Tools } from './bring-up.mjs' */
/** @import { Children } from '../processes/children.mjs' */
/** @import { RunLock, RunRecord } from '../processes/run-lock.mjs' */
/** @import { StartOptions } from './start-options.mjs' */

const RUN_FILE = join(local, 'run.json');

/** Runs the whole suite until it is asked to end. @param {string[]} args of `npm start` @returns {Promise<number>} the exit code */
export const startSuite = (args) => runWith(() => parseStartOptions(args), START_USAGE);

/**
 * Starts the suite as startSuite does, and restarts apps whose sources change.
 * @param {string[]} args of `npm run dev`
 */
export const startSuiteForDevelopment = (args) => runWith(() => parseDevOptions(args), DEV_USAGE);

/** @param {() => StartOptions} parseOptions @param {string} usage */
async function runWith(parseOptions, usage) {
  /** @type {StartOptions} */
  let options;
  try {
    options = parseOptions();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return 1;
  }
  if (options.isHelp) {
    process.stdout.write(`${usage}${guideOfRun()}`);
    return 0;
  }
  return run(options);
}

/** @returns {string} where the parts of the run are that goes on in this folder, and what to ask them; empty without one */
function guideOfRun() {
  const { addresses, hasDemo } = currentRun(RUN_FILE) ?? {};
  if (addresses === undefined) return '';
  return runGuide(addresses, hasDemo ? readJsonIfThere(demoFileIn(local)) : undefined);
}

/** @param {StartOptions} options */
async function run({ hasDemo, watched }) {
  ensureLocal();
  const lock = takeRunLock(RUN_FILE);
  if (lock.other) {
    process.stderr.write(`${alreadyRuns(lock.other)}\n`);
    return 1;
  }
  const progress = createProgress();
  let hurried = false;
  const end = watchForEnd({
    onAsked: progress.interrupt,
    onHurry: () => {
      hurried = true;
      children.hurry();
    },
  });
  const children = createChildren({
    logs,
    onChange: () => {
      lock.update({ children: processesOf(children) });
    },
    onUnexpectedEnd: end.fail,
  });
  /** @type {Running} */
  const running = { onEnd: [] };
  let exitCode = 0;
  try {
    const leftovers = lock.leftover?.children.filter(isAlive) ?? [];
    if (leftovers.length > 0)
      await end.orEnd(
        progress.step('Waiting for the end of a run that was killed', () => waitForLeftovers(leftovers)),
      );
    await end.orEnd(work({ children, progress, lock, running, hasDemo, watched, fail: end.fail }));
    await end.ended;
  } catch (error) {
    if (error instanceof EndRequested) progress.say(`\nEnding (${error.message}) …`);
    else {
      exitCode = 1;
      progress.interrupt();
      progress.say(`\n${readable(error)}`);
    }
  }
  running.watch?.stop();
  await tearDown({ children, running, progress, isHurried: () => hurried });
  lock.release();
  progress.say('Everything has ended.');
  return exitCode;
}

/**
 * @param {Tools & { lock: RunLock, running: Running, hasDemo: boolean, watched: readonly string[], fail: (error: Error) => void }} options
 */
async function work({ children, progress, lock, running, hasDemo, watched, fail }) {
  const apps = appsOnPorts(process.env);
  const ports = planPorts(apps, process.env, { hasDemo, watched });
  await checkPorts(ports.wanted);
  const { port, managementPort } = findApp(apps, 'gateway');
  const gatewayUrl = `http://localhost:${port}`;
  lock.update({ gatewayUrl });
  const about = { children, progress, lock, running, apps, ports, gatewayUrl, hasDemo, watched };
  const { rpcUrl, solanaRpcUrl, demo, hasTestWallet, runner } = await bringUp(about);
  const inspected = apps.filter(({ name }) => watched.includes(name));
  if (inspected.length > 0) running.watch = watchSources({ root, watched, runner, say: progress.say, fail });
  lock.update({ addresses: { gatewayUrl, managementPort, rpcUrl, solanaRpcUrl, logs }, hasDemo });
  progress.say(banner({ gatewayUrl, demo, hasTestWallet, inspected }));
}

/** @param {Children} children */
function processesOf(children) {
  return children.all().flatMap(({ name, processes }) => processes.map((one) => ({ name, ...one })));
}

/** @param {RunRecord} options */
function alreadyRuns({ pid, since, gatewayUrl }) {
  return `Gatehouse runs already: process ${pid}, since ${since}${gatewayUrl ? `, at ${gatewayUrl}` : ''}.`;
}

/** @param {unknown} error */
function readable(error) {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `\n  because: ${error.cause.message}` : '';
  const plain = error.name === 'Error' ? error.message : error.stack;
  return `${plain}${cause}`;
}
