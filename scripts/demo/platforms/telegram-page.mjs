/** @import { Telegram } from './telegram.mjs' */
/** @import { Answer } from './server.mjs' */

/**
 * Plays a person: `/telegram` is the page, `/telegram/users/<id>` what that person sees as JSON, and POST to `messages` or `joins` below it
 * writes to the bot or opens an invite link.
 * @param {Telegram} telegram
 * @param {import('node:http').IncomingMessage} request
 * @param {Record<string, unknown>} body
 * @returns {Answer}
 */
export function answerTelegramPlayer(telegram, { method, url = '', headers }, body) {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const first = [...telegram.users.values()].find(({ id }) => telegram.statusOf(id) !== 'creator')?.id;
  const [, user, action] = /^\/telegram\/users\/(\d+)(?:\/(messages|joins))?$/.exec(pathname) ?? [];
  const id = Number(user ?? searchParams.get('user') ?? first);
  if (!telegram.users.has(id)) return { status: 404, body: { message: 'Nobody here has this id' } };
  if (pathname === '/telegram') return { status: 200, body: renderTelegram(telegram, id) };
  if (method === 'POST' && action === 'messages') telegram.write(id, String(body.text));
  if (method === 'POST' && action === 'joins') telegram.openLink(id, String(body.link));
  // A form leads back to the page.
  if (method === 'POST' && headers.accept?.includes('text/html'))
    return { status: 303, body: '', headers: { location: `/telegram?user=${id}` } };
  return { status: 200, body: telegram.view(id) };
}

/** @param {unknown} text */
const escape = (text) =>
  String(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/**
 * The stand-in as people use it: one of them, their chat with the bot, and who is in the group. It loads itself anew every three seconds.
 * @param {Telegram} telegram
 * @param {number} id
 */
function renderTelegram(telegram, id) {
  const { user, status, hasAskedToJoin, messages } = telegram.view(id);
  const people = [...telegram.users.values()].map((one) =>
    one.id === id
      ? `<b>${escape(one.first_name)}</b>`
      : `<a href="?user=${one.id}">${escape(one.first_name)}</a>`,
  );
  const inGroup = [...telegram.users.values()].filter(({ id: one }) =>
    ['creator', 'administrator', 'member'].includes(telegram.statusOf(one)),
  );
  const lines = messages.map(
    ({ from, text }) => `<li><b>${from === 'bot' ? 'Bot' : escape(user)}</b>: ${link(text, id)}</li>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stand-in of Telegram</title>
<meta http-equiv="refresh" content="3"><meta name="viewport" content="width=device-width">
<style>body{font:1rem/1.5 system-ui;max-width:40rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}form{display:inline}</style>
<h1>Stand-in of Telegram</h1><p>You are ${people.join(' · ')}.</p>
<h2>Chat with the bot</h2><ul>${lines.join('') || '<li>Nothing yet. Send /start to begin.</li>'}</ul>
${button(id, 'messages', 'text', '/start', 'Send /start')}
<h2>Group ${escape(telegram.group.title)}</h2>
<p>In it: ${inGroup.map((one) => escape(one.first_name)).join(', ')}.</p>
<p>${hasAskedToJoin ? 'You have asked to join.' : `Your status: ${escape(status)}.`}</p></html>
`;
}

/** @param {number} id @param {string} action @param {string} name @param {string} value @param {string} label */
const button = (id, action, name, value, label) =>
  `<form method="post" action="/telegram/users/${id}/${action}"><input type="hidden" name="${name}" value="${escape(value)}"><button>${escape(label)}</button></form>`;

/** @param {string} text @param {number} id */
const link = (text, id) =>
  escape(text).replace(/https?:\/\/\S+/, (url) =>
    url.startsWith('https://t.me/')
      ? `${url} ${button(id, 'joins', 'link', url, 'Open this link')}`
      : `<a href="${url}" target="_blank" rel="noreferrer">${url}</a>`,
  );
