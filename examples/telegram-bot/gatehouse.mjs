/** What both example bots need: a follower of the roles of a community, a server for callbacks, and calls of a platform. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, createKeySource, createRoleFollower, request } from '@gatehouse/client';

const MAX_ATTEMPTS = 8;
const MAX_BODY_BYTES = 64 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const RECONCILE_MS = 10 * 60_000;

/** @typedef {{ status: number, body?: object, next?: () => Promise<unknown> }} Answer `next` begins when it is sent */
/** @typedef {{ parameters?: { retry_after?: number } }} Limited how Telegram says how long to wait; Discord has a header */
/** @typedef {(headers: import('node:http').IncomingHttpHeaders, body: string) => Promise<Answer> | Answer} Handler */
/** @typedef {{ members?: import('@gatehouse/client').FollowedRoles, link?: string }} State what the bot remembers */

/** A setting of the file .env. @param {string} name */
export function setting(name) {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`${name} is missing: copy .env.example to .env and fill it in.`);
}

/** @param {unknown} error */
export const log = (error) => {
  console.error(error instanceof Error ? error.message : error);
};

/**
 * Calls a platform, and again where it says 429, fails, or does not answer. Errors have no URL, which may hold the token of the bot.
 * @param {string} url @returns {Promise<unknown>}
 * @param {{ method: string, headers?: object, body?: object, expected?: number, timeoutMs?: number }} request `expected` is a status that is no failure
 */
export async function send(url, { method, headers, body, expected, timeoutMs = 20_000 }) {
  const init = { method, headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(body) };
  for (let attempt = 1; ; attempt += 1) {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...init, signal }).catch(() => undefined);
    const answer = /** @type {Limited | undefined} */ (await response?.json().catch(() => undefined));
    const status = response?.status ?? 503;
    if (status < 400 || status === expected) return answer;
    if ((status !== 429 && status < 500) || attempt === MAX_ATTEMPTS)
      throw new Error(`The platform answers ${status}: ${JSON.stringify(answer)}`);
    const told = answer?.parameters?.retry_after ?? response?.headers.get('retry-after');
    await sleep(1_000 * Number(told ?? 2 ** attempt));
  }
}

/** Answers POST requests by their path. @param {Record<string, Handler | undefined>} handlers */
export function serve(handlers) {
  createServer((incoming, response) => {
    const handler = incoming.method === 'POST' ? handlers[incoming.url ?? ''] : undefined;
    const isSmall = Number(incoming.headers['content-length']) <= MAX_BODY_BYTES;
    const answer = async () =>
      handler && isSmall ? handler(incoming.headers, await text(incoming)) : { status: 404 };
    void answer()
      .catch((/** @type {unknown} */ error) => {
        log(error);
        return { status: 503 }; // callbacks come again
      })
      .then((/** @type {Answer} */ { status, body = {}, next }) => {
        response.writeHead(status, JSON_TYPE).end(JSON.stringify(body), () => void next?.().catch(log));
      });
  }).listen(Number(setting('PORT')), setting('HOST'));
}

/** @param {Pick<import('@gatehouse/client').RoleFollowerOptions, 'roles' | 'isFollowed' | 'change'>} options */
export function createGatehouse(options) {
  const communityId = setting('COMMUNITY_ID');
  const client = createClient({ baseUrl: setting('GATEHOUSE_URL'), apiKey: setting('GATEHOUSE_API_KEY') });
  const stored = existsSync('state.json') ? readFileSync('state.json', 'utf8') : '{}';
  const state = /** @type {State} */ (JSON.parse(stored));

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
  setInterval(() => void follower.reconcile().catch(log), RECONCILE_MS);

  /** Adds a user to the community, and acts on their roles. @param {string} id @param {string} username @returns what to tell who has no role */
  async function join(id, username) {
    try {
      const users = [{ platform: /** @type {const} */ ('chat'), platformUserId: id, username }];
      const path = { communityId, platformUserId: id };
      await request(client, 'PUT /communities/{communityId}/platform-users', { path, body: { users } });
      if ((await follower.refresh(id, [])).length > 0) return undefined;
      const route = 'POST /communities/{communityId}/platform-users/{platformUserId}/wallet-challenges';
      const { url } = await request(client, route, { path, isRepeatable: true });
      return `Link the wallet that holds what is asked for, on this page for you alone: ${url}`;
    } catch (error) {
      log(error);
      return 'That did not work. Try again in a minute.';
    }
  }

  return { ...follower, join, state, save };
}
