import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { v8Flags } from '../scripts/processes/app-processes.mjs';
import { freePort } from '../scripts/processes/ports.mjs';
import { readMetric } from './support/metrics.mjs';
import { oauthDriver } from './support/oauth-driver.mjs';
import { startIdentity } from './support/oauth-identity.mjs';
import { fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { OauthDriver } from './support/oauth-driver.mjs' */
/** @typedef {'credentials' | 'code'} Flow */
/** @typedef {{ cpuMs: number, perSecond: number }} Measured */
/** @typedef {{ driver: OauthDriver, cpuSeconds: () => Promise<number>, rounds: Measured[] }} Side */

const CONNECTIONS = 16;
const ROUNDS = 5;
/** @type {Record<Flow, number>} */
const TIMES = { credentials: 2_000, code: 1_000 };

/** Tokens that identity hands out, beside oidc-provider with its in-memory adapter: the CPU time of each for one token. @param {Children} children */
export async function oauthSpeed(children) {
  const reference = await startReference(children);
  const identity = await startIdentity(children, CONNECTIONS);
  const rows = [];
  for (const flow of /** @type {Flow[]} */ (['credentials', 'code'])) {
    /** @type {[Side, Side]} */
    const sides = [
      { ...reference, rounds: [] },
      {
        driver: identity.driver,
        cpuSeconds: () => readMetric(identity.managementPort, 'process_cpu_seconds_total'),
        rounds: [],
      },
    ];
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const { driver, cpuSeconds, rounds } of sides) {
        const measured = await measure(() => driver[flow](), TIMES[flow], cpuSeconds);
        if (round > 0) rounds.push(measured);
      }
    rows.push(...rowsOf(flow, sides[0].rounds, sides[1].rounds));
  }
  await reference.driver.close();
  await identity.driver.close();
  await identity.stop();
  return table(
    `Tokens by OAuth 2.0, median of ${ROUNDS} rounds (wanted: client credentials at least 0.6, code and PKCE at least 0.4)`,
    ['flow', 'server', 'CPU for one, ms', 'tokens/s', 'ratio of CPU'],
    rows,
  );
}

/**
 * @param {() => Promise<unknown>} once
 * @param {number} times
 * @param {() => Promise<number>} cpuSeconds
 * @returns {Promise<Measured>}
 */
async function measure(once, times, cpuSeconds) {
  const before = await cpuSeconds();
  const startedAt = performance.now();
  let left = times;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) await once();
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  return { cpuMs: ((await cpuSeconds()) - before) * (1_000 / times), perSecond: times / seconds };
}

/** @param {Flow} flow @param {Measured[]} reference @param {Measured[]} identity */
function rowsOf(flow, reference, identity) {
  /** @param {Measured[]} rounds @param {keyof Measured} key */
  const of = (rounds, key) => median(rounds.map((round) => round[key]));
  /** @param {string} server @param {Measured[]} rounds */
  const row = (server, rounds) => {
    const ratio = of(reference, 'cpuMs') / of(rounds, 'cpuMs');
    return [flow, server, fixed(of(rounds, 'cpuMs')), fixed(of(rounds, 'perSecond'), 0), fixed(ratio)];
  };
  return [row('oidc-provider in memory', reference), row('identity on PostgreSQL', identity)];
}

/** @param {Children} children */
async function startReference(children) {
  const port = await freePort();
  const clientSecret = 'a-secret-of-the-reference-0123456789';
  const file = fileURLToPath(new URL('support/reference-provider.mjs', import.meta.url));
  const child = children.startApp('reference-provider', [...v8Flags, file], {
    NODE_ENV: 'production',
    PATH: process.env.PATH,
    PORT: String(port),
    CLIENT_SECRET: clientSecret,
  });
  await once(child.process, 'message');
  const url = `http://127.0.0.1:${port}`;
  const client = { clientId: 'client_reference', clientSecret };
  const driver = oauthDriver({ url, ...client, connections: CONNECTIONS });
  let path = driver.authorizePath('x'.repeat(43));
  for (let steps = 0; steps < 5; steps += 1) {
    const { headers } = await driver.open('GET', path);
    const next = new URL(headers.location?.toString() ?? '/', url);
    if (next.origin !== url) break;
    path = next.pathname + next.search;
  }
  const cpuSeconds = async () => {
    const { text } = await driver.open('GET', '/cpu');
    const { microseconds } = /** @type {{ microseconds: NodeJS.CpuUsage }} */ (JSON.parse(text));
    return (microseconds.user + microseconds.system) / 1_000_000;
  };
  return { driver, cpuSeconds };
}
