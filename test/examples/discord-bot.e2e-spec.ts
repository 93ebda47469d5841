import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEMO_DISCORD, DEMO_DISCORD_PUBLIC_KEY } from '../../scripts/demo/platforms/discord.mjs';
import { PlatformsStandIn } from '../support/platforms.js';
import { until } from '../support/until.js';
import { BotUnderTest } from './bot-under-test.js';
import { GatedCommunity } from './gated-community.js';

let community: GatedCommunity;
let platforms: PlatformsStandIn;
let bot: BotUnderTest;
let lastId = 220_000_000_000_000_000n;

const createBot = (roles: string): Promise<BotUnderTest> =>
  BotUnderTest.create('discord-bot', (url) => ({
    ...community.settings,
    ROLES: roles,
    DISCORD_API_URL: `${platforms.url}/discord/api/v10`,
    DISCORD_APPLICATION_ID: DEMO_DISCORD.applicationId,
    DISCORD_PUBLIC_KEY: DEMO_DISCORD_PUBLIC_KEY,
    DISCORD_BOT_TOKEN: DEMO_DISCORD.botToken,
    DISCORD_GUILD_ID: DEMO_DISCORD.guildId,
    PUBLIC_URL: url,
  }));

beforeAll(async () => {
  community = await GatedCommunity.start();
  platforms = await PlatformsStandIn.start();
  bot = await createBot(`collector=${DEMO_DISCORD.roleId}`);
  bot.start();
  await until('the bot gives roles', () => bot.output.includes('gives roles'));
  await community.attach(`${bot.url}/callbacks`);
  await until('the bot has answered the challenge', () => community.isCalledBack());
}, 120_000);
afterAll(async () => {
  for (const secret of [DEMO_DISCORD.botToken, ...community.secrets])
    expect(bot.output).not.toContain(secret);
  await bot.remove();
  await platforms.stop();
  await community.stop();
});

function newMember(): string {
  lastId += 1n;
  platforms.discord.addMember(String(lastId), `member ${lastId}`);
  return String(lastId);
}

const hasRole = (id: string) => () => platforms.discord.view(id).roles.includes(DEMO_DISCORD.roleId);
const hasNone = (id: string) => () => platforms.discord.view(id).roles.length === 0;

/** Types /verify. @returns the page that the bot answers with */
async function verify(id: string): Promise<string> {
  await platforms.discord.type(id, 'verify');
  const find = () => /http\S+\/wallet-links\/\S+/.exec(platforms.discord.view(id).messages.at(-1) ?? '')?.[0];
  await until('the page comes', () => find() !== undefined);
  return find() ?? '';
}

it('T414: Discord bot: gives the role to who links a wallet with the token, also after 429s, and takes it when it is sold', async () => {
  const [person, other] = [newMember(), newMember()];
  const collector = await community.newCollector();
  const page = await verify(person);
  expect(platforms.discord.view(other).messages).toEqual([]);
  platforms.discord.limit(2, true);
  await community.link(page, collector.wallet);
  await until('the person has the role', hasRole(person));
  platforms.discord.limit(2);
  await community.sell(collector);
  await until('the person has lost the role', hasNone(person));
  expect(platforms.discord.view(person).messages).not.toContain('The application did not respond');
});

it('T415: Discord bot: refuses forged interactions, and makes up for callbacks that it missed while it was off', async () => {
  const ping = { id: '1', type: 1 };
  expect(await platforms.discord.post(ping)).toEqual({ status: 200, answer: { type: 1 } });
  expect(await platforms.discord.post(ping, { isForged: true })).toMatchObject({ status: 401 });
  const person = newMember();
  const collector = await community.newCollector();
  await community.link(await verify(person), collector.wallet);
  await until('the person has the role', hasRole(person));
  await bot.stop();
  await community.sell(collector);
  await until('the role is lost', async () => !(await community.collectors()).includes(person));
  expect(hasRole(person)()).toBe(true);
  bot.start();
  await until('the person has lost the role', hasNone(person));
});

it('T424: Discord bot: refuses interactions without a signature or of another time, and a replay tells and gives nobody else anything', async () => {
  const [person, other] = [newMember(), newMember()];
  await verify(person);
  const genuine = platforms.discord.posted.at(-1);
  if (!genuine) throw new Error('nothing was posted');
  for (const ageSeconds of [301, -302])
    expect(await platforms.discord.post(genuine, { ageSeconds })).toMatchObject({ status: 401 });
  const unsigned = { method: 'POST', body: JSON.stringify(genuine) };
  expect((await fetch(`${bot.url}/interactions`, unsigned)).status).toBe(401);
  expect(platforms.discord.view(person).messages).toHaveLength(1);
  // Within five minutes it is taken, and its answer goes to the message that it began.
  expect(await platforms.discord.post(genuine, { ageSeconds: 290 })).toMatchObject({ status: 200 });
  await until('the answer is edited again', () => platforms.discord.view(person).messages.length === 2);
  expect([hasNone(person)(), platforms.discord.view(other)]).toEqual([
    true,
    { user: `member ${other}`, roles: [], messages: [] },
  ]);
});

it('T425: Discord bot: takes a role that is lost also where another one is above its own, and says which', async () => {
  const person = newMember();
  const collector = await community.newCollector();
  await community.link(await verify(person), collector.wallet);
  await until('the person has the role', hasRole(person));
  await bot.stop();
  await community.sell(collector);
  await until('the role is lost', async () => !(await community.collectors()).includes(person));
  const { highRoleId, roleId } = DEMO_DISCORD;
  const another = await createBot(`whale=${highRoleId},collector=${roleId}`);
  try {
    another.start();
    await until('the person has lost the role', hasNone(person));
    await until('the bot says which role', () =>
      another.output.includes(`${highRoleId}: Error: The platform answers 403`),
    );
  } finally {
    await another.remove();
    bot.start();
  }
});
