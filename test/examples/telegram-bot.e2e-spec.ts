import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { DEMO_GROUP_ID } from '../../scripts/demo/platforms/telegram.mjs';
import { CallbackLog, type SeenCallback } from '../support/callback-log.js';
import { PlatformsStandIn } from '../support/platforms.js';
import { until } from '../support/until.js';
import { BotUnderTest } from './bot-under-test.js';
import { GatedCommunity } from './gated-community.js';

const BOT_TOKEN_OF = '7001';

let community: GatedCommunity;
let platforms: PlatformsStandIn;
let bot: BotUnderTest;
let lastId = 5_000;

beforeAll(async () => {
  community = await GatedCommunity.start();
}, 120_000);
afterAll(async () => {
  await community.stop();
});

beforeEach(async () => {
  platforms = await PlatformsStandIn.start();
  bot = await BotUnderTest.create('telegram-bot', () => ({
    ...community.settings,
    ROLES: 'collector',
    TELEGRAM_API_URL: platforms.url,
    TELEGRAM_BOT_TOKEN: platforms.botToken(BOT_TOKEN_OF),
    TELEGRAM_GROUP_ID: String(DEMO_GROUP_ID),
  }));
  bot.start();
  await until('the bot gates the group', () => bot.output.includes('gates the group'));
  await community.attach(`${bot.url}/callbacks`);
  await until('the bot has answered the challenge', () => community.isCalledBack());
}, 180_000);
afterEach(async () => {
  for (const secret of [platforms.botToken(BOT_TOKEN_OF), ...community.secrets])
    expect(bot.output).not.toContain(secret);
  await bot.remove();
  await platforms.stop();
});

/** A person whom nobody has met before. */
function newPerson(): number {
  lastId += 1;
  platforms.telegram.users.set(lastId, { id: lastId, is_bot: false, first_name: `Person ${lastId}` });
  return lastId;
}

const textsTo = (id: number): string[] =>
  (platforms.telegram.chats.get(id) ?? []).flatMap(({ from, text }) => (from === 'bot' ? [text] : []));

/** The last link that the bot sent a person. */
const linkTo = (id: number, pattern: RegExp): string | undefined =>
  textsTo(id)
    .flatMap((text) => pattern.exec(text)?.[0] ?? [])
    .at(-1);

const WALLET_PAGE = /http\S+\/wallet-links\/\S+/;
const INVITE_LINK = /https:\/\/t\.me\/\S+/;

async function sent(id: number, pattern: RegExp): Promise<string> {
  await until(`a link comes to ${id}`, () => linkTo(id, pattern) !== undefined);
  return linkTo(id, pattern) ?? '';
}

const isMember = (id: number) => () => platforms.telegram.statusOf(id) === 'member';
const hasLeft = (id: number) => () => platforms.telegram.statusOf(id) === 'left';
/** The bot removes a member first, and then tells them: what comes next is an answer to something else. */
const wasRemoved = (id: number) => () =>
  hasLeft(id)() && textsTo(id).at(-1)?.includes('no longer hold') === true;

/** Starts the bot, links a wallet, and joins by the link that comes then. */
async function letIn(id: number) {
  const collector = await community.newCollector();
  platforms.telegram.write(id, '/start');
  await community.link(await sent(id, WALLET_PAGE), collector.wallet);
  platforms.telegram.openLink(id, await sent(id, INVITE_LINK));
  await until('the person is in the group', isMember(id));
  await until('the person is welcome', () => textsTo(id).at(-1) === 'Welcome to the group.');
  return collector;
}

it('T410: Telegram bot: lets in who links a wallet with the token, and removes them when it is sold', async () => {
  const [person, other] = [newPerson(), newPerson()];
  const collector = await letIn(person);
  expect(textsTo(person).filter((text) => INVITE_LINK.test(text))).toHaveLength(1);
  await community.sell(collector);
  await until('the person was removed', wasRemoved(person));
  // The link was passed on, and the person who opens it holds nothing.
  platforms.telegram.openLink(other, linkTo(person, INVITE_LINK) ?? '');
  const page = await sent(other, WALLET_PAGE);
  expect(platforms.telegram.statusOf(other)).toBe('left');
  // Their request waits, and is approved once they hold the token.
  await community.link(page, (await community.newCollector()).wallet);
  await until('the other person is in the group', isMember(other));
});

it('T411: Telegram bot: waits for as long as a 429 says, and tries again', async () => {
  for (const method of ['sendMessage', 'approveChatJoinRequest', 'getChatMember', 'unbanChatMember'])
    platforms.telegram.limit(method, 2);
  const person = newPerson();
  const collector = await letIn(person);
  await community.sell(collector);
  await until('the person was removed', wasRemoved(person));
});

it('T412: Telegram bot: makes up for callbacks that it missed while it was off, and says nothing twice', async () => {
  const [seller, buyer] = [newPerson(), newPerson()];
  const collector = await letIn(seller);
  platforms.telegram.write(buyer, '/start');
  const page = await sent(buyer, WALLET_PAGE);
  const texts = textsTo(seller);
  await bot.stop();
  await community.sell(collector);
  await community.link(page, (await community.newCollector()).wallet);
  await until('the roles have changed', async () => {
    const collectors = await community.collectors();
    return collectors.includes(String(buyer)) && !collectors.includes(String(seller));
  });
  expect(platforms.telegram.statusOf(seller)).toBe('member');
  bot.start();
  await until('the seller was removed', wasRemoved(seller));
  platforms.telegram.openLink(buyer, await sent(buyer, INVITE_LINK));
  await until('the buyer is in the group', isMember(buyer));
  await bot.stop();
  bot.start();
  platforms.telegram.write(buyer, '/start');
  await until('the buyer is answered', () => textsTo(buyer).length > 2);
  expect(textsTo(seller)).toEqual([...texts, expect.stringContaining('no longer hold')]);
});

it('T413: Telegram bot: refuses forged callbacks and those of other applications, and a replay lets nobody in', async () => {
  const post = ({ headers, body }: Pick<SeenCallback, 'headers' | 'body'>) => {
    const signed = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'));
    const init = { method: 'POST', headers: new Headers(signed as [string, string][]), body };
    return fetch(`${bot.url}/callbacks`, init);
  };
  const log = await CallbackLog.start();
  log.answer = (callback, response) => {
    void post(callback).then(
      async (answer) => response.writeHead(answer.status).end(await answer.text()),
      // The bot has ended.
      () => response.writeHead(503).end(),
    );
  };
  try {
    await community.attachAnother(log.url());
    await until('the challenge of another application has come', () => log.seen.length > 0);
    const [foreign] = log.seen;
    if (!foreign) throw new Error('no challenge');
    expect((await post(foreign)).status).toBe(403);
    const forged = Buffer.from(
      foreign.body.toString().replaceAll(/client_\w+/g, community.settings.CLIENT_ID),
    );
    expect((await post({ ...foreign, body: forged })).status).toBe(401);
    expect((await post({ body: forged, headers: {} })).status).toBe(401);
    expect((await fetch(`${bot.url}/callbacks`)).status).toBe(404);
    // A body in parts does not say how long it is.
    const inParts = (body: string): RequestInit => ({
      method: 'POST',
      body: new Blob([body]).stream(),
      duplex: 'half',
    });
    expect((await fetch(`${bot.url}/callbacks`, inParts('{}'))).status).toBe(401);
    expect((await fetch(`${bot.url}/callbacks`, inParts('a'.repeat(200_000)))).status).toBe(413);

    await community.attach(log.url());
    await until('the bot has answered the challenge', () => community.isCalledBack());
    const person = newPerson();
    const collector = await letIn(person);
    const granted = log.seen.filter(({ body }) => body.includes(String(person)));
    expect(granted.map(({ body }) => body.includes('"granted":true'))).toEqual([true]);
    // What the bot says of it comes later than the removal.
    platforms.telegram.limit('sendMessage', 1);
    await community.sell(collector);
    await until('the person was removed', wasRemoved(person));
    const texts = textsTo(person);
    for (const callback of granted) expect((await post(callback)).status).toBe(200);
    platforms.telegram.openLink(person, linkTo(person, INVITE_LINK) ?? '');
    await until('the person is answered', () => textsTo(person).length > texts.length);
    expect(platforms.telegram.statusOf(person)).toBe('left');
    expect(textsTo(person).at(-1)).toMatch(WALLET_PAGE);
  } finally {
    await log.stop();
  }
});

it('T425: Telegram bot: says where it could do nothing, goes on for others, and does it when asked again', async () => {
  const [person, other] = [newPerson(), newPerson()];
  platforms.telegram.limit('getChatMember', 8);
  platforms.telegram.write(person, '/start');
  await until('the person is answered', () => textsTo(person).length > 0);
  expect(textsTo(person)).toEqual(['That did not work. Try again in a minute.']);
  for (const id of [other, person]) {
    platforms.telegram.write(id, '/start');
    await sent(id, WALLET_PAGE);
  }
});

it('Telegram bot: removes whom a member adds who has no role, and leaves administrators and other bots alone', async () => {
  const [stranger, owner] = [newPerson(), 4_000];
  platforms.telegram.add(stranger);
  await until('the stranger was removed', hasLeft(stranger));
  platforms.telegram.write(owner, '/start');
  await sent(owner, WALLET_PAGE);
  const { telegram } = platforms;
  expect(telegram.statusOf(owner)).toBe('creator');
  expect(textsTo(stranger)).toEqual([]);
});

it('T425: Telegram bot: removes who has sold while it was no administrator as soon as it is one again, and waits an hour for nobody who cannot be told', async () => {
  const person = newPerson();
  const collector = await letIn(person);
  platforms.telegram.group.rights = undefined;
  await community.sell(collector);
  await until('the bot says what it lacks', () => bot.output.includes('CHAT_ADMIN_REQUIRED'));
  expect(isMember(person)()).toBe(true);
  platforms.telegram.group.rights = { can_invite_users: true, can_restrict_members: true };
  platforms.telegram.limit('sendMessage', 1, 3_600);
  await bot.stop();
  bot.start();
  await until('the person was removed', hasLeft(person));
  const stranger = newPerson();
  platforms.telegram.add(stranger);
  await until('the stranger was removed', hasLeft(stranger));
});
