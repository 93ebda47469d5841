import { createServer } from 'node:http';
import { answerDiscordPlayer, Discord } from './discord.mjs';
import { answerTelegramPlayer } from './telegram-page.mjs';
import { Telegram } from './telegram.mjs';

/** @import { IncomingMessage } from 'node:http' */
/** @typedef {{ status: number, body: object | string, headers?: Record<string, string> }} Answer a text is a page */
/** @typedef {{ telegram: Telegram, discord: Discord, revoked: Set<string> }} World */

/** An OAuth application of the code host. */
export const DEMO_CODEHOST_APP = {
  oauthClientId: 'Iv1.demo0000000000',
  secret: 'demo-client-secret-of-the-code-host',
};

/**
 * A stand-in of the calls by which three platforms say whose token it is, of the code host's check for which OAuth application it is, and
 * of a group and a
 * server of chat platforms. Tokens are made by `toToken`: they hold the id of the user, and that of the application.
 * @param {object} [options]
 * @param {Set<string>} [options.revoked] tokens that are refused
 * @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => boolean} [options.intercept] answers a request itself
 * @param {Telegram} [options.telegram]
 * @param {Discord} [options.discord]
 */
export function createPlatformsServer({
  revoked = new Set(),
  intercept = () => false,
  telegram = new Telegram(),
  discord = new Discord(),
} = {}) {
  return createServer((request, response) => {
    if (intercept(request, response)) return;
    void readBody(request)
      .then((body) => answer(request, body, { telegram, discord, revoked }))
      .catch(() => ({ status: 400, body: { message: 'Problems parsing JSON' }, headers: {} }))
      .then(({ status, body, headers = {} }) => {
        const isPage = typeof body === 'string';
        const type = isPage ? 'text/html; charset=utf-8' : 'application/json';
        response.writeHead(status, { 'content-type': type, ...headers });
        response.end(status === 204 ? undefined : isPage ? body : `${JSON.stringify(body)}\n`);
      });
  });
}

/**
 * @param {'chat' | 'microblog' | 'codehost'} platform
 * @param {string} userId
 * @param {string} [oauthClientId] the application of the code host that got the token; none for a personal access token
 * @returns {string}
 */
export function toToken(platform, userId, oauthClientId) {
  if (platform === 'chat') return `${userId}:${'demo-bot-token'.padEnd(35, '-')}`;
  const token = `${platform}-demo-token-${userId}`;
  return oauthClientId === undefined ? token : `${token}-${oauthClientId}`;
}

/** @param {IncomingMessage} request @returns {Promise<Record<string, unknown> | undefined>} the fields of a body in JSON or of a form */
async function readBody(request) {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(text));
  return text === '' ? undefined : /** @type {Record<string, unknown>} */ (JSON.parse(text));
}

/** @type {Record<string, string>} */
const PLATFORM_OF_PATH = { '/2/users/me': 'microblog', '/user': 'codehost' };

/**
 * @param {IncomingMessage} request
 * @param {Record<string, unknown> | undefined} body none where nothing was sent
 * @param {World} world
 * @returns {Promise<Answer> | Answer}
 */
function answer(request, body, { telegram, discord, revoked }) {
  const { method, headers } = request;
  const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const url = pathname + search;
  const [, bot, called] = /^\/bot([^/]+)\/(\w+)$/.exec(pathname) ?? [];
  if (bot !== undefined && called !== undefined) {
    const user = botOf(bot, revoked);
    if (!user) return UNAUTHORIZED_BOT;
    return telegram.call(user, called, { ...Object.fromEntries(searchParams), ...body });
  }
  const call = /^\/discord\/api\/v10(\/.*)$/.exec(pathname)?.[1];
  if (call !== undefined) return discord.call(method ?? '', call, headers, body);
  if (pathname.startsWith('/discord')) return answerDiscordPlayer(discord, request);
  if (pathname.startsWith('/telegram')) return answerTelegramPlayer(telegram, request, body ?? {});
  const app = /^\/applications\/([^/]+)\/token$/.exec(url)?.[1];
  if (app !== undefined && method === 'POST') return answerCheck(app, headers, body?.access_token, revoked);
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const platform = PLATFORM_OF_PATH[url];
  const userId = platform === undefined ? undefined : userOf(platform, token);
  if (userId === undefined || revoked.has(token)) return { status: 401, body: { title: 'Unauthorized' } };
  return platform === 'microblog'
    ? { status: 200, body: { data: { id: userId, name: 'Demo', username: 'demo' } } }
    : { status: 200, body: codehostUser(userId) };
}

/** @param {string} platform @param {string} token */
const userOf = (platform, token) =>
  new RegExp(`^${platform}-demo-token-(\\d+)(?:-[\\w.]+)?$`).exec(token)?.[1];

/** @param {string} userId */
const codehostUser = (userId) => ({ id: Number(userId), login: 'demo', type: 'User' });

/**
 * https://docs.github.com/en/rest/apps/oauth-applications#check-a-token
 * @param {string} app
 * @param {{ authorization?: string }} options
 * @param {unknown} token
 * @param {Set<string>} revoked
 * @returns {Answer}
 */
function answerCheck(app, { authorization }, token, revoked) {
  const { oauthClientId, secret } = DEMO_CODEHOST_APP;
  const expected = `Basic ${Buffer.from(`${oauthClientId}:${secret}`).toString('base64')}`;
  if (authorization !== expected) return { status: 401, body: { message: 'Bad credentials' } };
  if (typeof token !== 'string') return { status: 422, body: { message: 'Validation Failed' } };
  const userId = userOf('codehost', token);
  const isOfApp = app === oauthClientId && userId !== undefined && token === toToken('codehost', userId, app);
  if (!isOfApp || revoked.has(token)) return { status: 404, body: { message: 'Not Found' } };
  return {
    status: 200,
    body: { id: 1, token, app: { client_id: app, name: 'Demo' }, user: codehostUser(userId), scopes: [] },
  };
}

/** A token that nobody has is 401. @type {Answer} */
const UNAUTHORIZED_BOT = { status: 401, body: { ok: false, error_code: 401, description: 'Unauthorized' } };

/** @param {string} token @param {Set<string>} revoked */
function botOf(token, revoked) {
  const [id = ''] = token.split(':');
  if (token !== toToken('chat', id) || revoked.has(token)) return undefined;
  return { id: Number(id), is_bot: true, first_name: 'Demo', username: 'demo_bot' };
}
