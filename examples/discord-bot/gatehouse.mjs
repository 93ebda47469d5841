/** What both example bots need: a follower of the roles of a community, a server for callbacks, and calls of a platform. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, createKeySource, createRoleFollower } from '@gatehouse/client';

const MAX_ATTEMPTS = 8;
const MAX_WAIT_SECONDS = 60;
const MAX_LENGTH = 64 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** @typedef {{ status: number, body?: object, next?: () => Promise<unknown> }} Answer `next` begins when it is sent */
/** @typedef {{ parameters?: { retry_after?: number } }} Limited how Telegram says how long to wait; Discord has a header */
/** @typedef {(headers: import('node:http').IncomingHttpHeaders, body: string) => Promise<Answer> | Answer} Handler */
/** @typedef {{ of: string, members?: import('@gatehouse/client').FollowedRoles, link?: string }} State what the bot remembers, and of what */

/** A setting of the file .env. @param {string} name */
export function setting(name) {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`${name} is missing: copy .env.example to .env and fill it in.`);
}

/** @param {unknown} error @returns {undefined} */
export const log = (error) => {
  console.error(error instanceof Error ? error.message : error);
};

/**
 * Calls a platform, and again where it says 429, fails, or does not answer. Errors have no URL, which may hold the token of the bot.
 * @param {string} url @returns {Promise<unknown>}
 * @param {{ method: string, headers?: object, body?: object, expected?: RegExp, timeoutMs?: number }} request `expected` is in an answer that is no failure
 */
export async function send(url, { method, headers, body, expected, timeoutMs = 20_000 }) {
  const init = { method, headers: { ...headers, ...(body && JSON_TYPE) }, body: JSON.stringify(body) };
  for (let attempt = 1; ; attempt += 1) {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...init, signal }).catch(() => undefined);
    const answer = /** @type {Limited | undefined} */ (await response?.json().catch(() => undefined));
    const [status, said] = [response?.status ?? 503, JSON.stringify(answer)];
    if (status < 400 || expected?.test(said)) return answer;
    const told = Number(answer?.parameters?.retry_after ?? response?.headers.get('retry-after'));
    const seconds = told > 0 ? told : 2 ** attempt; // a date is not understood
    const isLast = attempt === MAX_ATTEMPTS || seconds > MAX_WAIT_SECONDS;
    if (isLast || (status !== 429 && status < 500))
      throw new Error(`The platform answers ${status}: ${said}`);
    await sleep(1_000 * seconds);
  }
}

/** Answers POST requests by their path. @param {Record<string, Handler | undefined>} handlers */
export function serve(handlers) {
  createServer((incoming, response) => {
    const handler = incoming.method === 'POST' ? handlers[incoming.url ?? ''] : undefined;
    const answer = async () => {
      const add = (/** @type {string} */ all, part = '') => `${all}${part}`.slice(0, MAX_LENGTH);
      const body = await incoming.setEncoding('utf8').reduce(add, '');
      if (body.length === MAX_LENGTH) return { status: 413 };
      return handler ? handler(incoming.headers, body) : { status: 404 };
    };
    void answer()
      .catch(log)
      .then((/** @type {Answer | undefined} */ { status, body = {}, next } = { status: 503 }) => {
        response.writeHead(status, JSON_TYPE).end(JSON.stringify(body), () => void next?.().catch(log));
      });
  }).listen(Number(setting('PORT')), setting('HOST'));
}

/** @param {string} place on the platform @param {Pick<import('@gatehouse/client').RoleFollowerOptions, 'roles' | 'isFollowed' | 'change'>} options */
export function createGatehouse(place, options) {
  const [baseUrl, communityId] = [setting('GATEHOUSE_URL'), setting('COMMUNITY_ID')];
  const of = [baseUrl, communityId, place].join(' ');
  const client = createClient({ baseUrl, apiKey: setting('GATEHOUSE_API_KEY') });
  const file = existsSync('state.json') ? readFileSync('state.json', 'utf8') : '{}';
  const stored = /** @type {State} */ (JSON.parse(file));
  const state = stored.of === of ? stored : { of }; // what is elsewhere is of no use here

  function save(members = state.members) {
    state.members = members;
    writeFileSync('state.json.new', JSON.stringify(state), { mode: 0o600 });
    renameSync('state.json.new', 'state.json');
  }

  const follower = createRoleFollower(client, createKeySource(client), {
    ...options,
    clientId: setting('CLIENT_ID'),
    communityId,
    platform: 'chat',
    members: state.members,
    save,
    onError: log,
  });
  setInterval(() => void follower.retry().catch(log), 10 * 60_000);
  setInterval(() => void follower.reconcile().catch(log), 24 * 3_600_000);

  /** Adds a user to the community, and acts on their roles. @param {string} id @param {string} username @returns what to tell who has no role */
  async function join(id, username) {
    try {
      const { walletPage } = await follower.join(id, username);
      return (
        walletPage &&
        `Link the wallet that holds what is asked for, on this page for you alone: ${walletPage}`
      );
    } catch (error) {
      log(error);
      return 'That did not work. Try again in a minute.';
    }
  }

  return { ...follower, join, state, save };
}
