import { createServer } from 'node:http';

/**
 * A stand-in of the calls by which three platforms say whose token it is. Tokens are made by `toToken`: they hold the id.
 * @param {object} [options]
 * @param {Set<string>} [options.revoked] tokens that are refused
 * @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => boolean} [options.intercept] answers a request itself
 */
export function createPlatformsServer({ revoked = new Set(), intercept = () => false } = {}) {
  return createServer((request, response) => {
    if (intercept(request, response)) return;
    const { status, body } = answer(request, revoked);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
}

/** @param {'chat' | 'microblog' | 'codehost'} platform @param {string} userId @returns {string} */
export const toToken = (platform, userId) =>
  platform === 'chat' ? `${userId}:${'demo-bot-token'.padEnd(35, '-')}` : `${platform}-demo-token-${userId}`;

function answer({ url = '', headers }, revoked) {
  const bot = /^\/bot([^/]+)\/getMe$/.exec(url)?.[1];
  if (bot !== undefined) return answerBot(bot, revoked);
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const platform = { '/2/users/me': 'microblog', '/user': 'codehost' }[url];
  const userId = new RegExp(`^${platform}-demo-token-(\\d+)$`).exec(token)?.[1];
  if (userId === undefined || revoked.has(token)) return { status: 401, body: { title: 'Unauthorized' } };
  return platform === 'microblog'
    ? { status: 200, body: { data: { id: userId, name: 'Demo', username: 'demo' } } }
    : { status: 200, body: { id: Number(userId), login: 'demo', type: 'User' } };
}

function answerBot(token, revoked) {
  const [id] = token.split(':');
  if (token !== toToken('chat', id) || revoked.has(token))
    return { status: 401, body: { ok: false, error_code: 401, description: 'Unauthorized' } };
  return {
    status: 200,
    body: { ok: true, result: { id: Number(id), is_bot: true, first_name: 'Demo', username: 'demo_bot' } },
  };
}
