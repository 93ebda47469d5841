import { join } from 'node:path';
import { appsOnPorts } from './apps.mjs';
import { banner } from './banner.mjs';
import { bringUp } from './bring-up.mjs';
import { createChildren } from './children.mjs';
import { EndRequested, watchForEnd } from './ending.mjs';
import { waitForLeftovers } from './leftovers.mjs';
import { isAlive } from './process-identity.mjs';
import { checkPorts, planPorts } from './port-plan.mjs';
import { createProgress } from './progress.mjs';
import { ensureLocal, local, logs } from './project.mjs';
import { parseStartOptions, START_USAGE } from './start-options.mjs';
import { takeRunLock } from './run-lock.mjs';
import { tearDown } from './tear-down.mjs';

/**
 * Runs the whole suite until it is asked to end.
 * @param {string[]} args start-options.mjs
 * @returns {Promise<number>} the exit code
 */
export async function startSuite(args) {
  let options;
  try {
    options = parseStartOptions(args);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
  if (options.isHelp) {
    process.stdout.write(START_USAGE);
    return 0;
  }
  return run(options);
}

async function run({ hasDemo }) {
  ensureLocal();
  const lock = takeRunLock(join(local, 'run.json'));
  if (lock.other) {
    process.stderr.write(`${alreadyRuns(lock.other)}\n`);
    return 1;
  }
  const progress = createProgress();
  let hurried = false;
  const end = watchForEnd({
    onAsked: () => progress.interrupt(),
    onHurry: () => {
      hurried = true;
      children.hurry();
    },
  });
  const children = createChildren({
    logs,
    onChange: () => lock.update({ children: processesOf(children) }),
    onUnexpectedEnd: end.fail,
  });
  const running = { onEnd: [] };
  let exitCode = 0;
  try {
    const leftovers = lock.leftover?.children.filter(isAlive) ?? [];
    if (leftovers.length > 0)
      await end.orEnd(
        progress.step('Waiting for the end of a run that was killed', () => waitForLeftovers(leftovers)),
      );
    await end.orEnd(work({ children, progress, lock, running, hasDemo }));
    await end.ended;
  } catch (error) {
    if (error instanceof EndRequested) progress.say(`\nEnding (${error.message}) …`);
    else {
      exitCode = 1;
      progress.interrupt();
      progress.say(`\n${readable(error)}`);
    }
  }
  await tearDown({ children, running, progress, isHurried: () => hurried });
  lock.release();
  progress.say('Everything has ended.');
  return exitCode;
}

async function work({ children, progress, lock, running, hasDemo }) {
  const apps = appsOnPorts(process.env);
  const ports = planPorts(apps, process.env, { hasDemo });
  await checkPorts(ports.wanted);
  const gatewayUrl = `http://localhost:${apps[0].port}`;
  lock.update({ gatewayUrl });
  const about = { children, progress, lock, running, apps, ports, gatewayUrl, hasDemo };
  const { rpcUrl, solanaRpcUrl, demo, hasTestWallet } = await bringUp(about);
  const { managementPort } = apps[0];
  progress.say(banner({ gatewayUrl, managementPort, rpcUrl, solanaRpcUrl, logs, demo, hasTestWallet }));
}

function processesOf(children) {
  return children.all().flatMap(({ name, processes }) => processes.map((one) => ({ name, ...one })));
}

function alreadyRuns({ pid, since, gatewayUrl }) {
  return `Gatehouse runs already: process ${pid}, since ${since}${gatewayUrl ? `, at ${gatewayUrl}` : ''}.`;
}

function readable(error) {
  const cause = error.cause?.message ? `\n  because: ${error.cause.message}` : '';
  const plain = error.name === 'Error' ? error.message : error.stack;
  return `${plain}${cause}`;
}
