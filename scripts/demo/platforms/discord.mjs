import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';

/** @typedef {{ status: number, body: object, headers?: Record<string, string> }} Answer */
/** @typedef {{ id: string, username: string, roles: Set<string>, messages: string[] }} Member */
/** @typedef {{ member: Member, at: number }} Open an interaction that was answered in time, whose answer may be edited */

const RESPONSE_MS = 3_000;
const TOKEN_MS = 15 * 60_000;
const BUCKET_LIMIT = 10;
const BUCKET_MS = 1_000;
const MAX_CALLS_A_SECOND = 50;
const MAX_CONTENT = 2_000;
const EPHEMERAL = 64;

export const DEMO_DISCORD = {
  applicationId: '110000000000000001',
  guildId: '110000000000000002',
  roleId: '110000000000000003',
  /** A role above that of the bot. */
  highRoleId: '110000000000000004',
  botToken: 'demo-bot-token-of-discord',
};

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const seed = createHash('sha256').update('the stand-in of Discord').digest();
const privateKey = createPrivateKey({
  key: Buffer.concat([PKCS8_PREFIX, seed]),
  format: 'der',
  type: 'pkcs8',
});

/** The key in hex, as the page of an application shows it. */
export const DEMO_DISCORD_PUBLIC_KEY = createPublicKey(privateKey)
  .export({ format: 'der', type: 'spki' })
  .subarray(-32)
  .toString('hex');

/** @param {number} status @param {number} code @param {string} message @returns {Answer} */
const refuse = (status, code, message) => ({ status, body: { code, message } });

/**
 * A stand-in of Discord: one server, its members, and the part of version 10 of the API that a bot needs which gives roles. Each method names its
 * rules and where they stand: DOCS is https://docs.discord.com/developers, whose source is https://github.com/discord/discord-api-docs. Not enforced: 200 new
 * commands a day (DOCS, interactions/application-commands), and 10,000 refused calls in ten minutes, after which an address is blocked (DOCS, topics/rate-limits).
 */
export class Discord {
  /** @type {Map<string, Member>} */
  members = new Map();
  /** Whether the role of the bot has MANAGE_ROLES. */
  managesRoles = true;
  /** @type {string | undefined} */
  endpoint;
  /** @type {{ name: string }[]} */
  commands = [];
  /** Methods and paths of calls, in order. @type {string[]} */
  calls = [];
  /** Commands that were posted, in order. @type {object[]} */
  posted = [];
  #limited = { calls: 0, isGlobal: false };
  /** @type {number[]} */
  #calledAt = [];
  #lastId = 0;
  /** @type {Map<string, number[]>} */
  #buckets = new Map();
  /** @type {Map<string, Open>} */
  #open = new Map();

  constructor() {
    for (const [id, username] of [
      ['210000000000000001', 'ann'],
      ['210000000000000002', 'ben'],
    ])
      this.addMember(String(id), String(username));
  }

  /** @param {string} id @param {string} username */
  addMember(id, username) {
    this.members.set(id, { id, username, roles: new Set(), messages: [] });
  }

  /** The next calls are refused with 429: those of one route, or all. @param {number} times */
  limit(times, isGlobal = false) {
    this.#limited = { calls: times, isGlobal };
  }

  /** What a member sees. @param {string} id */
  view(id) {
    const member = this.members.get(id);
    return { user: member?.username, roles: [...(member?.roles ?? [])], messages: member?.messages ?? [] };
  }

  /**
   * A member types a command. The application answers within three seconds, else its token is void and the member sees that it did not respond (DOCS,
   * interactions/receiving-and-responding). Requests with a signature that is none come in between: where they are not answered 401, the address is removed
   * (DOCS, interactions/overview).
   * @param {string} id
   * @param {string} name
   */
  async type(id, name) {
    const member = this.members.get(id);
    if (!member || !this.commands.some((command) => command.name === name)) return;
    this.#lastId += 1;
    const token = `interaction-token-${this.#lastId}`;
    const interaction = { ...this.interaction(id, name), id: `3100000000000000${this.#lastId}`, token };
    const at = Date.now();
    if ((await this.post(interaction, { isForged: true })).status !== 401) this.endpoint = undefined;
    this.posted.push(interaction);
    const { status, answer } = await this.post(interaction);
    const { type, data } = /** @type {{ type?: number, data?: { content?: string, flags?: number } }} */ (
      answer ?? {}
    );
    if (status !== 200 || (type !== 4 && type !== 5)) {
      member.messages.push('The application did not respond');
      return;
    }
    this.#open.set(token, { member, at });
    // An answer without the flag 64 is seen by everybody (DOCS, resources/message).
    const readers = data?.flags === EPHEMERAL ? [member] : [...this.members.values()];
    if (type === 4) for (const reader of readers) reader.messages.push(String(data?.content));
  }

  /** What a command of a member looks like. @param {string} id @param {string} name */
  interaction(id, name) {
    const { applicationId: application_id, guildId: guild_id } = DEMO_DISCORD;
    const user = { id, username: this.members.get(id)?.username };
    const data = { id: '320000000000000001', name, type: 1 };
    const common = { id: '1', application_id, type: 2, version: 1, guild_id, token: 'none' };
    return { ...common, data, member: { user } };
  }

  /**
   * Posts an interaction, with the Ed25519 signature over the time stamp and the body in hex (DOCS, interactions/overview). No document says how old a time
   * stamp may be.
   * @param {object} interaction
   * @param {{ isForged?: boolean, url?: string | undefined, ageSeconds?: number }} [options]
   * @returns the status, none without an answer in time, and the body where the answer says that it is JSON
   */
  async post(interaction, { isForged = false, url = this.endpoint, ageSeconds = 0 } = {}) {
    const body = JSON.stringify(interaction);
    const timestamp = String(Math.floor(Date.now() / 1_000) - ageSeconds);
    const signature = sign(null, Buffer.from(timestamp + body), privateKey);
    if (isForged) signature.fill(7);
    const headers = {
      'content-type': 'application/json',
      'x-signature-ed25519': signature.toString('hex'),
      'x-signature-timestamp': timestamp,
    };
    const signal = AbortSignal.timeout(RESPONSE_MS);
    const response = await fetch(String(url), { method: 'POST', headers, body, signal }).catch(
      () => undefined,
    );
    const isJson = response?.headers.get('content-type')?.startsWith('application/json') === true;
    /** @type {unknown} */
    const answer = isJson ? await response.json().catch(() => undefined) : undefined;
    return { status: response?.status, answer };
  }

  /**
   * A call of the API. A request names its library in `User-Agent`, the bot in `Authorization`, and the type of its body (DOCS, reference); a request that
   * says that its body is JSON and has none is 50109 (DOCS, topics/opcodes-and-status-codes). Only answers to
   * interactions go without `Authorization`, because their token says whose they are (DOCS, resources/webhook).
   * @param {string} method
   * @param {string} path
   * @param {import('node:http').IncomingHttpHeaders} headers
   * @param {unknown} body
   * @returns {Promise<Answer>}
   */
  async call(method, path, headers, body) {
    this.calls.push(`${method} ${path}`);
    if (!/^DiscordBot \(.+, .+\)/.test(headers['user-agent'] ?? ''))
      return refuse(403, 40_333, 'internal network error');
    const isFollowUp = path.startsWith('/webhooks/');
    if (!isFollowUp && headers.authorization !== `Bot ${DEMO_DISCORD.botToken}`)
      return refuse(401, 0, '401: Unauthorized');
    const isJson = headers['content-type']?.startsWith('application/json') === true;
    if (hasFields(body) && !isJson) return refuse(400, 50_035, 'Invalid Form Body');
    if (body === undefined && isJson) return refuse(400, 50_109, 'The request body contains invalid JSON.');
    if (!isFollowUp && this.#isGloballyLimited()) return GLOBAL_LIMIT;
    const [bucket, limits] = this.#count(method, path);
    if (bucket) return { ...bucket, headers: limits };
    return { ...(await this.#answer(method, path, body)), headers: limits };
  }

  /** All calls of a bot together are 50 a second at most; answers to interactions do not count (DOCS, topics/rate-limits). */
  #isGloballyLimited() {
    if (this.#limited.isGlobal && this.#limited.calls > 0) {
      this.#limited.calls -= 1;
      return true;
    }
    this.#calledAt = [...this.#calledAt.filter((at) => at > Date.now() - 1_000), Date.now()];
    return this.#calledAt.length > MAX_CALLS_A_SECOND;
  }

  /**
   * Counts a call in the bucket of its route, whose state is in the headers X-RateLimit-*. A 429 says in the header Retry-After in whole
   * seconds, and in `retry_after` with fractions, how long to wait, and in `global` whether for all routes (DOCS, topics/rate-limits).
   * @param {string} method
   * @param {string} path
   * @returns {[Answer | undefined, Record<string, string>]}
   */
  #count(method, path) {
    const route = `${method} ${path.replaceAll(/\/(members|roles)\/\d+/g, '/$1')}`;
    const now = Date.now();
    const times = (this.#buckets.get(route) ?? []).filter((at) => at > now - BUCKET_MS);
    const isPlanned = !this.#limited.isGlobal && this.#limited.calls > 0;
    if (isPlanned) this.#limited.calls -= 1;
    const isLimited = isPlanned || times.length >= BUCKET_LIMIT;
    if (!isLimited) times.push(now);
    this.#buckets.set(route, times);
    const resetMs = (times[0] ?? now) + BUCKET_MS;
    const resetAfter = (resetMs - now) / 1_000;
    const headers = {
      'x-ratelimit-limit': String(BUCKET_LIMIT),
      'x-ratelimit-remaining': String(BUCKET_LIMIT - times.length),
      'x-ratelimit-reset': String(resetMs / 1_000),
      'x-ratelimit-reset-after': String(resetAfter),
      'x-ratelimit-bucket': createHash('md5').update(route).digest('hex'),
    };
    if (!isLimited) return [undefined, headers];
    const body = { message: 'You are being rate limited.', retry_after: resetAfter, global: false };
    const waits = { 'retry-after': String(Math.ceil(resetAfter)), 'x-ratelimit-scope': 'user' };
    return [
      { status: 429, body },
      { ...headers, ...waits },
    ];
  }

  /** @param {string} method @param {string} path @param {unknown} body @returns {Promise<Answer> | Answer} */
  #answer(method, path, body) {
    const { applicationId, guildId } = DEMO_DISCORD;
    const [, guild, user, role] = /^\/guilds\/(\d+)\/members\/(\d+)\/roles\/(\d+)$/.exec(path) ?? [];
    if (role && (method === 'PUT' || method === 'DELETE'))
      return guild === guildId
        ? this.#setRole(String(user), role, method === 'PUT')
        : refuse(404, 10_004, 'Unknown Guild');
    if (method === 'PUT' && path === `/applications/${applicationId}/guilds/${guildId}/commands`)
      return this.#setCommands(body);
    if (method === 'PATCH' && path === '/applications/@me')
      return this.#setEndpoint(
        String(/** @type {Record<string, unknown>} */ (body).interactions_endpoint_url),
      );
    const token = new RegExp(`^/webhooks/${applicationId}/([\\w-]+)/messages/@original$`).exec(path)?.[1];
    if (method === 'PATCH' && token) return this.#edit(token, /** @type {{ content?: string }} */ (body));
    return refuse(404, 0, '404: Not Found');
  }

  /**
   * A bot needs MANAGE_ROLES (DOCS, resources/guild), and gives only roles below its own (DOCS, topics/permissions). The role of everybody, whose id is that of
   * the server, is given to nobody. Codes are those of DOCS, topics/opcodes-and-status-codes.
   * @param {string} user
   * @param {string} role
   * @param {boolean} isGiven
   * @returns {Answer}
   */
  #setRole(user, role, isGiven) {
    const { guildId, roleId, highRoleId } = DEMO_DISCORD;
    const member = this.members.get(user);
    if (!member) return refuse(404, 10_007, 'Unknown Member');
    if (role === guildId) return refuse(400, 50_028, 'Invalid Role');
    if (role !== roleId && role !== highRoleId) return refuse(404, 10_011, 'Unknown Role');
    if (!this.managesRoles || role === highRoleId) return refuse(403, 50_013, 'Missing Permissions');
    if (isGiven) member.roles.add(role);
    else member.roles.delete(role);
    return { status: 204, body: {} };
  }

  /** Names have 1 to 32 letters, digits, - and _, in lower case; descriptions 1 to 100 characters (DOCS, interactions/application-commands). @param {unknown} body @returns {Answer} */
  #setCommands(body) {
    const commands = /** @type {{ name: string, description: string }[]} */ (Array.isArray(body) ? body : []);
    const areValid = commands.every(
      ({ name, description }) =>
        /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u.test(name) &&
        name === name.toLowerCase() &&
        /^.{1,100}$/.test(description),
    );
    if (!areValid || !Array.isArray(body)) return refuse(400, 50_035, 'Invalid Form Body');
    this.commands = commands;
    return { status: 200, body: commands };
  }

  /**
   * An address is taken only if it answers a PING with PONG, as JSON, and a forged one with 401 (DOCS, interactions/overview). Here loopback addresses may be http.
   * @param {string} url
   * @returns {Promise<Answer>}
   */
  async #setEndpoint(url) {
    const isAllowed = url.startsWith('https://') || /^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(url);
    const ping = { id: '1', application_id: DEMO_DISCORD.applicationId, type: 1, token: 'ping', version: 1 };
    const genuine = isAllowed ? await this.post(ping, { url }) : undefined;
    const forged = isAllowed ? await this.post(ping, { url, isForged: true }) : undefined;
    const { type } = /** @type {{ type?: number }} */ (genuine?.answer ?? {});
    if (genuine?.status !== 200 || type !== 1 || forged?.status !== 401)
      return refuse(400, 50_035, 'Invalid Form Body: the interactions endpoint could not be verified');
    this.endpoint = url;
    return { status: 200, body: { id: DEMO_DISCORD.applicationId, interactions_endpoint_url: url } };
  }

  /**
   * An answer is edited after it was given (404 before, https://github.com/discord/discord-api-docs/issues/6851) and within fifteen minutes (DOCS,
   * interactions/receiving-and-responding; 401 later, the same issue). Contents have 1 to 2,000 characters (DOCS, resources/webhook).
   * @param {string} token
   * @param {{ content?: string }} options
   * @returns {Answer}
   */
  #edit(token, { content = '' }) {
    const open = this.#open.get(token);
    if (!open) return refuse(404, 10_015, 'Unknown Webhook');
    if (Date.now() - open.at > TOKEN_MS) return refuse(401, 50_027, 'Invalid Webhook Token');
    if (content === '') return refuse(400, 50_006, 'Cannot send an empty message');
    if (content.length > MAX_CONTENT) return refuse(400, 50_035, 'Invalid Form Body');
    open.member.messages.push(content);
    return { status: 200, body: { content } };
  }
}

const hasFields = (/** @type {unknown} */ body) => JSON.stringify(body ?? {}) !== '{}';

/** The limit of all routes has no bucket (DOCS, topics/rate-limits). @type {Answer} */
const GLOBAL_LIMIT = {
  status: 429,
  body: { message: 'You are being rate limited.', retry_after: 0.5, global: true },
  headers: { 'retry-after': '1', 'x-ratelimit-global': 'true', 'x-ratelimit-scope': 'global' },
};

/** @param {unknown} text */
const escape = (text) =>
  String(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/**
 * Plays a member: `/discord` is the page, `/discord/users/<id>` what that member sees as JSON, and POST to `commands` below it types /verify.
 * @param {Discord} discord
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<{ status: number, body: object | string, headers?: Record<string, string> }>}
 */
export async function answerDiscordPlayer(discord, { method, url = '', headers }) {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const [, named, action] = /^\/discord\/users\/(\d+)(\/commands)?$/.exec(pathname) ?? [];
  const id = named ?? searchParams.get('user') ?? [...discord.members.keys()][0] ?? '';
  if (!discord.members.has(id)) return { status: 404, body: { message: 'Nobody here has this id' } };
  if (pathname === '/discord') return { status: 200, body: render(discord, id) };
  if (method === 'POST' && action) await discord.type(id, 'verify');
  if (method === 'POST' && headers.accept?.includes('text/html'))
    return { status: 303, body: '', headers: { location: `/discord?user=${id}` } };
  return { status: 200, body: discord.view(id) };
}

/** @param {Discord} discord @param {string} id */
function render(discord, id) {
  const { messages } = discord.view(id);
  const all = [...discord.members.values()];
  const people = all.map(({ id: one, username }) => `<a href="?user=${one}">${escape(username)}</a>`);
  const lines = messages.map((text) => {
    const linked = escape(text).replace(
      /https?:\/\/\S+/,
      (url) => `<a href="${url}" target="_blank" rel="noreferrer">${url}</a>`,
    );
    return `<li>${linked}</li>`;
  });
  const list = all.map(
    ({ username, roles }) => `<li>${escape(username)}: ${roles.size > 0 ? 'Collector' : 'no role'}</li>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stand-in of Discord</title>
<meta http-equiv="refresh" content="3"><meta name="viewport" content="width=device-width">
<style>body{font:1rem/1.5 system-ui;max-width:40rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}</style>
<h1>Stand-in of Discord</h1><p>You are <b>${escape(discord.view(id).user)}</b>. Members: ${people.join(' · ')}.</p>
<form method="post" action="/discord/users/${id}/commands"><button>Type /verify</button></form>
<h2>What you see</h2><ul>${lines.join('') || '<li>Nothing yet.</li>'}</ul><h2>Roles</h2><ul>${list.join('')}</ul></html>
`;
}
