/** A Discord bot that gives roles of a server to those who hold roles of a Gatehouse community, and takes them from those who have lost them. */
import { createPublicKey, verify } from 'node:crypto';
import { createGatehouse, Refusal, send, serve, setting } from './gatehouse.mjs';

/** @import { Answer } from './gatehouse.mjs' */
/** @typedef {{ type: number, guild_id?: string, token: string, data?: { name: string }, member?: { user: { id: string, username: string } } }} Interaction */

const PING = 1;
const COMMAND = 2;
const DEFERRED = 5;
const EPHEMERAL = 64;
const [application, guild] = [setting('DISCORD_APPLICATION_ID'), setting('DISCORD_GUILD_ID')];
const headers = {
  Authorization: `Bot ${setting('DISCORD_BOT_TOKEN')}`,
  'User-Agent': 'DiscordBot (https://github.com/gatehouse/discord-bot, 1.0.0)',
};
/** The role of the server for each role of the community. */
const serverRoles = new Map(
  setting('ROLES')
    .split(',')
    .map((pair) => /** @type {[string, string]} */ (pair.split('='))),
);
const publicKey = createPublicKey({
  key: {
    kty: 'OKP',
    crv: 'Ed25519',
    x: Buffer.from(setting('DISCORD_PUBLIC_KEY'), 'hex').toString('base64url'),
  },
  format: 'jwk',
});

/** @param {string} method @param {string} path @param {object} [body] */
const discord = (method, path, body) =>
  send('Discord', setting('DISCORD_API_URL') + path, { method, headers, body });

/** Makes the roles of a member what the community says. Both calls may be repeated. @param {string} id @param {string[]} roles */
async function apply(id, roles) {
  for (const [role, serverRole] of serverRoles) {
    const path = `/guilds/${guild}/members/${id}/roles/${serverRole}`;
    if (roles.includes(role)) await discord('PUT', path);
    else
      await discord('DELETE', path).catch((/** @type {unknown} */ error) => {
        // Who has left the server has no role to lose.
        if (!(error instanceof Refusal && error.message.includes('"code":10007'))) throw error;
      });
  }
}

const gatehouse = createGatehouse({
  wanted: [...serverRoles.keys()],
  // Discord's ids have 17 digits or more. Those of Telegram, whose bot may serve the same community, have 16 at most.
  ids: /^[1-9]\d{16,18}$/,
  change: apply,
});

/** Answers the command where only its user sees it. The wallet page is for them alone. @param {Interaction} interaction */
async function answer({ token, member }) {
  const { id = '', username = '' } = member?.user ?? {};
  const { roles, page, isChanged } = await gatehouse.join(id, username);
  if (!isChanged) await apply(id, roles); // they may have left the server and come back
  const content = page
    ? `Link the wallet that holds what the server asks for, on this page for you alone: ${page}`
    : 'You have your roles.';
  await discord('PATCH', `/webhooks/${application}/${token}/messages/@original`, { content });
}

/** @param {import('node:http').IncomingHttpHeaders} signed @param {string} body @returns {Answer} */
function receive(signed, body) {
  const timestamp = String(signed['x-signature-timestamp']);
  const signature = Buffer.from(String(signed['x-signature-ed25519']), 'hex');
  const isRecent = Math.abs(Date.now() / 1_000 - Number(timestamp)) <= 300;
  if (!isRecent || !verify(null, Buffer.from(timestamp + body), publicKey, signature))
    return { status: 401, body: {} };
  const interaction = /** @type {Interaction} */ (JSON.parse(body));
  if (interaction.type === PING) return { status: 200, body: { type: PING } };
  if (interaction.type !== COMMAND || interaction.data?.name !== 'verify' || interaction.guild_id !== guild)
    return { status: 400, body: {} };
  // Discord waits for three seconds, and for the answer itself fifteen minutes.
  void gatehouse.inTurn(() => answer(interaction));
  return { status: 200, body: { type: DEFERRED, data: { flags: EPHEMERAL } } };
}

serve({
  '/callbacks': gatehouse.receive,
  '/interactions': (signed, body) => Promise.resolve(receive(signed, body)),
});

const command = { name: 'verify', type: 1, description: 'Link a wallet and get your roles' };
await discord('PUT', `/applications/${application}/guilds/${guild}/commands`, [command]);
// Discord asks the address at once, and takes it only if forged requests are refused.
await discord('PATCH', '/applications/@me', {
  interactions_endpoint_url: `${setting('PUBLIC_URL')}/interactions`,
});
await gatehouse.inTurn(gatehouse.reconcile);
console.log(`The bot gives roles of the server ${guild}`);
