/** A Discord bot that gives roles of a server to those who hold roles of a Gatehouse community, and takes them from those who have lost them. */
import { createPublicKey, verify } from 'node:crypto';
import { createGatehouse, log, send, serve, setting } from './gatehouse.mjs';

/** @typedef {{ type: number, guild_id?: string, token: string, data?: { name: string }, member?: { user: { id: string, username: string } } }} Interaction */

const PING = 1;
const COMMAND = 2;
const DEFERRED = 5;
const EPHEMERAL = 64;
const UNKNOWN_MEMBER = /"code":10007\b/;
const MAX_AGE_SECONDS = 300;
const [application, guild] = [setting('DISCORD_APPLICATION_ID'), setting('DISCORD_GUILD_ID')];
const publicUrl = setting('PUBLIC_URL').replace(/\/$/, '');
const headers = {
  Authorization: `Bot ${setting('DISCORD_BOT_TOKEN')}`,
  'User-Agent': `DiscordBot (${publicUrl}, 1.0.0)`,
};
/** The role of the server for each role of the community. */
const serverRoles = new Map(
  setting('ROLES')
    .split(',')
    .map((pair) => /** @type {[string, string]} */ (pair.split('='))),
);
const x = Buffer.from(setting('DISCORD_PUBLIC_KEY'), 'hex').toString('base64url');
const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });

/** @param {string} method @param {string} path @param {object} [body] @param {RegExp} [expected] what an answer has that is no failure here */
const discord = (method, path, body, expected) =>
  send(setting('DISCORD_API_URL') + path, { method, headers, body, expected });

const gatehouse = createGatehouse(`${setting('DISCORD_API_URL')} ${guild}`, {
  roles: [...serverRoles.keys()],
  // Discord's ids have 17 digits or more. Those of Telegram, whose bot may serve the same community, have 16 at most.
  isFollowed: (id) => /^[1-9]\d{16,18}$/.test(id),
  // Both calls may be repeated. Who has left the server gets their roles when they come back and type /verify.
  change: async (id, roles) => {
    // A role that is above that of the bot is 403, and stops no other.
    /** @type {string[]} */
    const failures = [];
    for (const [role, serverRole] of serverRoles) {
      const path = `/guilds/${guild}/members/${id}/roles/${serverRole}`;
      const set = discord(roles.includes(role) ? 'PUT' : 'DELETE', path, undefined, UNKNOWN_MEMBER);
      await set.catch((/** @type {unknown} */ error) => failures.push(`${path}: ${String(error)}`));
    }
    if (failures.length > 0) throw new Error(failures.join(', '));
  },
});

/** Answers the command where only its user sees it. The page is for them alone. @param {Interaction} interaction */
async function answer({ token, member }) {
  const { id = '', username = '' } = member?.user ?? {};
  const content = (await gatehouse.join(id, username)) ?? 'You have your roles.';
  await discord('PATCH', `/webhooks/${application}/${token}/messages/@original`, { content });
}

/** @type {import('./gatehouse.mjs').Handler} */
function receive(signed, body) {
  const timestamp = String(signed['x-signature-timestamp']);
  const signature = Buffer.from(String(signed['x-signature-ed25519']), 'hex');
  const isRecent = Math.abs(Date.now() / 1_000 - Number(timestamp)) <= MAX_AGE_SECONDS;
  if (!isRecent || !verify(null, Buffer.from(timestamp + body), publicKey, signature)) return { status: 401 };
  const interaction = /** @type {Interaction} */ (JSON.parse(body));
  if (interaction.type === PING) return { status: 200, body: { type: PING } };
  if (interaction.type !== COMMAND || interaction.data?.name !== 'verify' || interaction.guild_id !== guild)
    return { status: 400 };
  // Discord waits for three seconds, and for the answer itself, which it takes only after this one, fifteen minutes.
  const deferred = { type: DEFERRED, data: { flags: EPHEMERAL } };
  return { status: 200, body: deferred, next: () => answer(interaction) };
}

serve({ '/callbacks': gatehouse.receive, '/interactions': receive });

const command = { name: 'verify', type: 1, description: 'Link a wallet and get your roles' };
await discord('PUT', `/applications/${application}/guilds/${guild}/commands`, [command]);
// Discord asks the address at once, and takes it only if forged requests are refused.
await discord('PATCH', '/applications/@me', {
  interactions_endpoint_url: `${publicUrl}/interactions`,
});
await gatehouse.reconcile().catch(log);
console.log(`The bot gives roles of the server ${guild}`);
