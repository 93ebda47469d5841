import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { DEMO_GROUP_ID, Telegram } from '../../scripts/demo/platforms/telegram.mjs';
import { until } from '../support/until.js';

const bot = { id: 7_001, is_bot: true, first_name: 'Demo' };
const [OWNER, ANN] = [4_000, 4_001];

/** What a call answers: the result, or the status and the description of an error. */
async function call(telegram: Telegram, method: string, parameters: object = {}): Promise<unknown> {
  const { status, body } = await telegram.call(bot, method, { ...parameters });
  const { ok, result, error_code: code, description } = body as Record<string, unknown>;
  expect([ok, code]).toEqual(status === 200 ? [true, undefined] : [false, status]);
  return status === 200 ? result : `${status} ${String(description)}`;
}

const inGroup = (id: number) => ({ chat_id: DEMO_GROUP_ID, user_id: id });

it('stand-in of Telegram: refuses messages to those who have not started the bot, have blocked it, or do not exist', async () => {
  const telegram = new Telegram();
  const message = { chat_id: ANN, text: 'hello' };
  expect(await call(telegram, 'sendMessage', message)).toBe(
    "403 Forbidden: bot can't initiate conversation with a user",
  );
  telegram.write(ANN, '/start');
  expect(await call(telegram, 'sendMessage', message)).toMatchObject({ text: 'hello' });
  expect(await call(telegram, 'sendMessage', { chat_id: ANN, text: ' ' })).toBe(
    '400 Bad Request: message text is empty',
  );
  telegram.blocked.add(ANN);
  expect(await call(telegram, 'sendMessage', message)).toBe('403 Forbidden: bot was blocked by the user');
  expect(await call(telegram, 'sendMessage', { chat_id: 1, text: 'hello' })).toBe(
    '400 Bad Request: chat not found',
  );
  expect(await call(telegram, 'sendMessage', { text: 'hello' })).toBe('400 Bad Request: chat_id is empty');
  expect(await call(telegram, 'sendMessage', { chat_id: ANN, text: 'a'.repeat(4_097) })).toBe(
    '400 Bad Request: message is too long',
  );
  expect(await call(telegram, 'sendPoem')).toBe('404 Not Found: method not found');
});

it('stand-in of Telegram: confirms updates by the offset, ends the older of two polls, and has no polls beside a webhook', async () => {
  const telegram = new Telegram();
  const first = call(telegram, 'getUpdates', { timeout: 50 });
  const second = call(telegram, 'getUpdates', { timeout: 50 });
  expect(await first).toContain('409 Conflict: terminated by other getUpdates request');
  telegram.write(ANN, '/start');
  expect(await second).toMatchObject([{ update_id: 1, message: { text: '/start', chat: { id: ANN } } }]);
  expect(await call(telegram, 'getUpdates')).toHaveLength(1);
  expect(await call(telegram, 'getUpdates', { offset: 2 })).toEqual([]);
  // Changes of members come only to bots that name them.
  telegram.add(ANN);
  expect(await call(telegram, 'getUpdates', { allowed_updates: ['chat_member'] })).toEqual([]);
  telegram.leave(ANN);
  expect(await call(telegram, 'getUpdates')).toMatchObject([
    { chat_member: { new_chat_member: { status: 'left' } } },
  ]);
  expect(await call(telegram, 'getUpdates', { offset: 4, allowed_updates: [] })).toEqual([]);
  // A negative offset forgets all but the last ones.
  for (const said of ['one', 'two', 'three']) telegram.write(ANN, said);
  expect(await call(telegram, 'getUpdates', { offset: -1 })).toMatchObject([{ message: { text: 'three' } }]);
  expect(await call(telegram, 'getUpdates')).toHaveLength(1);
});

it('stand-in of Telegram: posts updates to a webhook with its secret, again where the answer is no success, and has no polls beside it', async () => {
  const telegram = new Telegram();
  const seen: unknown[] = [];
  const statuses = [500, 302, 204];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const update = JSON.parse(body) as { message: { text: string } };
      seen.push([request.headers['x-telegram-bot-api-secret-token'], update.message.text]);
      response.writeHead(statuses.shift() ?? 200).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const poll = call(telegram, 'getUpdates', { timeout: 50 });
    expect(await call(telegram, 'setWebhook', { url, secret_token: 'it-is_me' })).toBe(true);
    expect(await poll).toBe('409 Conflict: terminated by setWebhook request');
    expect(await call(telegram, 'getUpdates')).toContain("409 Conflict: can't use getUpdates");
    expect(await call(telegram, 'setWebhook', { url })).toBe('429 Too Many Requests: retry after 1');
    telegram.write(ANN, 'one');
    telegram.write(ANN, 'two');
    await until('both updates are taken', () => seen.length === 4);
    expect(seen).toEqual(['one', 'one', 'one', 'two'].map((said) => ['it-is_me', said]));
    expect(await call(telegram, 'setWebhook', { url: '' })).toBe(true);
    await until('the last one is confirmed', async () => {
      const waiting = (await call(telegram, 'getUpdates')) as unknown[];
      return waiting.length === 0;
    });
  } finally {
    server.close();
  }
});

it('stand-in of Telegram: takes webhooks by https at four ports only, with secrets of some characters', async () => {
  const telegram = new Telegram();
  const refused: [object, string][] = [
    [{ url: 'bot.example' }, 'invalid webhook URL specified'],
    [{ url: 'http://bot.example/' }, 'An HTTPS URL must be provided for webhook'],
    [{ url: 'https://bot.example:8080/' }, 'only on ports 80, 88, 443 or 8443'],
    [{ url: 'https://bot.example/', secret_token: 'a b' }, 'secret token contains unallowed characters'],
    [{ url: 'https://bot.example/', secret_token: 'a'.repeat(257) }, 'secret token contains'],
  ];
  for (const [parameters, message] of refused)
    expect(await call(telegram, 'setWebhook', parameters)).toContain(message);
  expect(await call(telegram, 'getUpdates')).toEqual([]);
});

it('stand-in of Telegram: makes links only for bots that may invite, with a limit or for requests, and decides waiting requests only', async () => {
  const telegram = new Telegram();
  const both = { chat_id: DEMO_GROUP_ID, member_limit: 1, creates_join_request: true };
  expect(await call(telegram, 'createChatInviteLink', both)).toContain(
    "400 Bad Request: member limit can't be",
  );
  const refused: [object, string][] = [
    [{ member_limit: 0 }, 'USAGE_LIMIT_INVALID'],
    [{ member_limit: 100_000 }, 'USAGE_LIMIT_INVALID'],
    [{ expire_date: Math.floor(Date.now() / 1_000) - 1 }, 'EXPIRE_DATE_INVALID'],
    [{ name: 'a'.repeat(33) }, 'invite link name is too long'],
  ];
  for (const [limits, message] of refused)
    expect(await call(telegram, 'createChatInviteLink', { chat_id: DEMO_GROUP_ID, ...limits })).toBe(
      `400 Bad Request: ${message}`,
    );
  expect(await call(telegram, 'createChatInviteLink', { chat_id: 5 })).toBe(
    '400 Bad Request: chat not found',
  );
  const once = await call(telegram, 'createChatInviteLink', { chat_id: DEMO_GROUP_ID, member_limit: 1 });
  const asking = await call(telegram, 'createChatInviteLink', {
    chat_id: DEMO_GROUP_ID,
    creates_join_request: true,
  });
  const urlOf = (link: unknown) => (link as { invite_link: string }).invite_link;
  expect(telegram.openLink(ANN, urlOf(once))).toBe('joined');
  expect(() => telegram.openLink(4_002, urlOf(once))).toThrow('INVITE_HASH_EXPIRED');
  expect(await call(telegram, 'approveChatJoinRequest', inGroup(ANN))).toContain('USER_ALREADY_PARTICIPANT');
  expect(await call(telegram, 'approveChatJoinRequest', inGroup(4_002))).toContain('HIDE_REQUESTER_MISSING');
  expect(telegram.openLink(4_002, urlOf(asking))).toBe('asked');
  expect(telegram.statusOf(4_002)).toBe('left');
  // A bot may answer who asks to join, even where they have not started it.
  expect(await call(telegram, 'sendMessage', { chat_id: 4_002, text: 'hello' })).toMatchObject({
    text: 'hello',
  });
  expect(await call(telegram, 'approveChatJoinRequest', inGroup(4_002))).toBe(true);
  expect(telegram.statusOf(4_002)).toBe('member');
  telegram.group.rights = { can_invite_users: false, can_restrict_members: false };
  expect(await call(telegram, 'createChatInviteLink', { chat_id: DEMO_GROUP_ID })).toContain(
    '400 Bad Request: not enough rights',
  );
  expect(await call(telegram, 'banChatMember', inGroup(ANN))).toContain('400 Bad Request: not enough rights');
});

it('stand-in of Telegram: bans, lifts bans, and removes neither the owner nor administrators', async () => {
  const telegram = new Telegram();
  expect(await call(telegram, 'getChatMember', inGroup(ANN))).toBe('400 Bad Request: PARTICIPANT_ID_INVALID');
  telegram.add(ANN);
  telegram.group.members.set(4_002, 'administrator');
  expect(await call(telegram, 'unbanChatMember', { ...inGroup(ANN), only_if_banned: true })).toBe(true);
  expect(telegram.statusOf(ANN)).toBe('member');
  expect(await call(telegram, 'banChatMember', inGroup(ANN))).toBe(true);
  expect(await call(telegram, 'getChatMember', inGroup(ANN))).toMatchObject({ status: 'kicked' });
  expect(await call(telegram, 'unbanChatMember', { ...inGroup(ANN), only_if_banned: true })).toBe(true);
  expect(telegram.statusOf(ANN)).toBe('left');
  telegram.add(ANN);
  expect(await call(telegram, 'unbanChatMember', inGroup(ANN))).toBe(true);
  expect(telegram.statusOf(ANN)).toBe('left');
  expect(await call(telegram, 'banChatMember', inGroup(OWNER))).toContain("can't remove chat owner");
  expect(await call(telegram, 'unbanChatMember', inGroup(4_002))).toContain('administrator of the chat');
  expect(await call(telegram, 'getChatMember', inGroup(1))).toContain('400');
  telegram.group.rights = undefined;
  expect(await call(telegram, 'getChatMember', inGroup(OWNER))).toBe('400 Bad Request: CHAT_ADMIN_REQUIRED');
  expect(await call(telegram, 'getChatMember', inGroup(bot.id))).toMatchObject({ user: bot });
});

it('stand-in of Telegram: refuses with 429 and the seconds to wait', async () => {
  const telegram = new Telegram();
  telegram.write(ANN, '/start');
  telegram.limit('getMe', 1, 7);
  const { status, body, headers } = await telegram.call(bot, 'getMe', {});
  expect([status, headers, body]).toEqual([
    429,
    { 'retry-after': '7' },
    {
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 7',
      parameters: { retry_after: 7 },
    },
  ]);
  const answers = await Promise.all(
    Array.from({ length: 31 }, () => telegram.call(bot, 'sendMessage', { chat_id: ANN, text: 'hello' })),
  );
  expect(answers.map((answer) => answer.status).filter((code) => code === 429)).toHaveLength(1);
});
