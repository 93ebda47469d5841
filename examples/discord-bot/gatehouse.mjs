/** What an example bot asks of Gatehouse and hears from it. */
import { createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const MAX_ATTEMPTS = 8;
const MAX_BODY_BYTES = 64 * 1024;
const MAX_REMEMBERED_IDS = 10_000;
const KEY_CACHE_MS = 5 * 60_000;
const RECONCILE_MS = 10 * 60_000;

/** @typedef {{ status: number, body: unknown }} Answer */
/** @typedef {{ members: Record<string, string[] | undefined>, link?: string }} State `members` has the roles that were acted on */
/** @typedef {{ roles: string[], isChanged: boolean }} Roles of a user; `isChanged` where they were acted on just now */

/** An answer that says no. Its text has no URL: a URL may hold the token of the bot. */
export class Refusal extends Error {
  /** @param {string} service @param {Answer} answer */
  constructor(service, { status, body }) {
    super(`${service} answers ${status}: ${JSON.stringify(body)}`);
    this.status = status;
  }
}

/** A setting of the file .env. @param {string} name @returns {string} */
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
 * Sends a request, and again where the answer is 429, a failure of the server, or none. A 429 says how many seconds to wait: Telegram's
 * in `parameters.retry_after`, Discord's in `retry_after`, that of Gatehouse in the header Retry-After.
 * @param {string} service
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: object, timeoutMs?: number }} [options]
 * @returns {Promise<Answer>}
 * @throws Refusal
 */
export async function send(service, url, { method, headers = {}, body, timeoutMs = 20_000 } = {}) {
  const options = {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  };
  for (let attempt = 0; ; attempt += 1) {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...options, signal }).catch(() => undefined);
    const status = response?.status ?? 503;
    /** @type {unknown} */
    const answer = await response?.json().catch(() => undefined);
    if (status < 400) return { status, body: answer };
    if ((status !== 429 && status < 500) || attempt === MAX_ATTEMPTS)
      throw new Refusal(service, { status, body: answer });
    const limited =
      /** @type {{ retry_after?: number, parameters?: { retry_after?: number } } | undefined} */ (answer);
    const told =
      limited?.parameters?.retry_after ?? limited?.retry_after ?? response?.headers.get('retry-after');
    await sleep(1_000 * Number(told ?? 2 ** attempt));
  }
}

/**
 * Answers POST requests by their path.
 * @param {Record<string, ((headers: import('node:http').IncomingHttpHeaders, body: string) => Promise<Answer>) | undefined>} handlers
 */
export function serve(handlers) {
  /** @param {import('node:http').IncomingMessage} request @returns {Promise<Answer>} */
  const answer = async (request) => {
    const handler = request.method === 'POST' ? handlers[request.url ?? ''] : undefined;
    if (!handler) return { status: 404, body: {} };
    const isSmall = Number(request.headers['content-length']) <= MAX_BODY_BYTES;
    return isSmall ? handler(request.headers, await text(request)) : { status: 413, body: {} };
  };
  createServer((request, response) => {
    void answer(request)
      .catch((/** @type {unknown} */ error) => {
        log(error);
        return { status: 503, body: {} }; // callbacks are sent again
      })
      .then(({ status, body }) => {
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      });
  }).listen(Number(setting('PORT')), setting('HOST'));
}

/**
 * Keeps a platform as Gatehouse's roles say. A callback only says whose roles have changed, and the roles of now are asked for: so the
 * order of callbacks does not matter, and what was missed is made up for by reading the list of members at the start and every ten minutes.
 * @param {object} options
 * @param {readonly string[]} options.wanted the roles that matter here
 * @param {RegExp} options.ids the form of the platform's user ids
 * @param {(id: string, roles: string[], before: string[] | undefined) => Promise<void>} options.change lets a user in, or removes them
 */
export function createGatehouse({ wanted, ids, change }) {
  const [url, community] = [setting('GATEHOUSE_URL'), setting('COMMUNITY_ID')];
  const headers = { 'X-API-Key': setting('GATEHOUSE_API_KEY') };
  const state = /** @type {State} */ (
    existsSync('state.json') ? JSON.parse(readFileSync('state.json', 'utf8')) : { members: {} }
  );
  /** @type {Set<string>} */
  const deliveries = new Set();
  /** @type {{ keys: import('node:crypto').JsonWebKey[] }} */
  let keySet = { keys: [] };
  let keysExpireAt = 0;
  /** @type {Promise<unknown>} */
  let turn = Promise.resolve();

  /** @param {string} path @param {string} [method] @param {object} [body] @returns {Promise<unknown>} */
  const call = async (path, method, body) =>
    (await send('Gatehouse', url + path, { method, headers, body })).body;

  function save() {
    writeFileSync('state.json.new', JSON.stringify(state), { mode: 0o600 });
    renameSync('state.json.new', 'state.json');
  }

  /** @param {string} id @param {string[]} held @returns {Promise<Roles>} */
  async function act(id, held) {
    const roles = wanted.filter((role) => held.includes(role));
    const before = state.members[id];
    if (before?.join() === roles.join()) return { roles, isChanged: false };
    await change(id, roles, before);
    state.members[id] = roles;
    save();
    return { roles, isChanged: true };
  }

  /** Asks for the roles of now, for which the chains are read. Who is no member has none. @param {string} id */
  async function refresh(id) {
    const answer = await call(`/access-control/${community}/${id}/roles`).catch(
      (/** @type {unknown} */ error) => {
        if (error instanceof Refusal && error.message.includes('"member_not_found"')) return { roles: [] };
        throw error;
      },
    );
    const { roles } = /** @type {{ roles: { id: string, granted: boolean }[] }} */ (answer);
    return act(
      id,
      roles.flatMap((role) => (role.granted ? [role.id] : [])),
    );
  }

  /** Compares all members with what was acted on. Without the whole list nothing is changed. */
  async function reconcile() {
    const held = new Map(Object.keys(state.members).map((id) => [id, /** @type {string[]} */ ([])]));
    /** @type {string | undefined} */
    let next = '';
    while (next !== undefined) {
      const answer = await call(`/communities/${community}/members?limit=100${next}`);
      const { items, paginationToken } =
        /** @type {{ items: { platform: string, platformUserId?: string, roles: string[] }[], paginationToken?: string }} */ (
          answer
        );
      for (const { platform, platformUserId = '', roles } of items)
        if (platform === 'chat' && ids.test(platformUserId)) held.set(platformUserId, roles);
      next = paginationToken && `&paginationToken=${encodeURIComponent(paginationToken)}`;
    }
    for (const [id, roles] of held) await act(id, roles).catch(log);
  }

  /** Runs one thing after the other, so that two never change the same user at once. @param {() => Promise<unknown>} task */
  function inTurn(task) {
    turn = turn.then(task).catch(log);
    return turn;
  }

  /** @param {import('node:http').IncomingHttpHeaders} signed @param {string} body */
  async function isGenuine(signed, body) {
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = signed;
    if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= 300)) return false;
    if (Date.now() > keysExpireAt) {
      keySet = /** @type {typeof keySet} */ (await call('/.well-known/jwks.json'));
      keysExpireAt = Date.now() + KEY_CACHE_MS;
    }
    const content = Buffer.from(`${String(id)}.${String(timestamp)}.${body}`);
    const keys = keySet.keys
      .filter(({ crv, use }) => crv === 'Ed25519' && use === 'sig')
      .map((key) => createPublicKey({ key, format: 'jwk' }));
    return String(signatures)
      .split(' ')
      .filter((listed) => listed.startsWith('v1a,'))
      .some((listed) =>
        keys.some((key) => verify(null, content, key, Buffer.from(listed.slice(4), 'base64'))),
      );
  }

  /** Answers a callback, and acts on it afterwards, because an answer may take ten seconds at most. */
  /** @param {import('node:http').IncomingHttpHeaders} signed @param {string} body @returns {Promise<Answer>} */
  async function receive(signed, body) {
    if (!(await isGenuine(signed, body))) return { status: 401, body: {} };
    const {
      clientId,
      communityId,
      challenge,
      platform,
      platformUserId: id = '',
    } = /** @type {Record<string, string | undefined>} */ (JSON.parse(body));
    // The same key signs for all applications.
    if (clientId !== setting('CLIENT_ID') || communityId !== community) return { status: 403, body: {} };
    if (challenge !== undefined) return { status: 200, body: { challenge } };
    const delivery = String(signed['webhook-id']);
    if (platform !== 'chat' || !ids.test(id) || deliveries.has(delivery)) return { status: 200, body: {} };
    if (deliveries.size >= MAX_REMEMBERED_IDS) deliveries.clear();
    deliveries.add(delivery);
    void inTurn(() => refresh(id));
    return { status: 200, body: {} };
  }

  /** Adds a user to the community. @returns their roles, and without one a page on which they link a wallet */
  /** @param {string} id @param {string} username @returns {Promise<Roles & { page?: string }>} */
  async function join(id, username) {
    const users = [{ platform: 'chat', platformUserId: id, username }];
    await call(`/communities/${community}/platform-users`, 'PUT', { users });
    const found = await refresh(id);
    if (found.roles.length > 0) return found;
    const challenge = await call(`/communities/${community}/platform-users/${id}/wallet-challenges`, 'POST');
    return { ...found, page: /** @type {{ url: string }} */ (challenge).url };
  }

  setInterval(() => void inTurn(reconcile), RECONCILE_MS);
  return { state, save, join, refresh, receive, reconcile, inTurn };
}
