import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayCaller } from './gateway-caller.mjs';
import { signInWithWallet } from './wallet-sign-in.mjs';

/** @import { Demo } from './demo-client.mjs' */
/** @import { GatewayCaller } from './gateway-caller.mjs' */

const NAME = 'Gatehouse demo';
const ROLES = [
  { id: 'whale', name: 'Whale', color: 0x2563eb },
  { id: 'collector', name: 'Collector', color: 0xd97706 },
];
const SCOPES = [
  'user:read',
  'user:wallet:read',
  'user:community:read',
  'community:read',
  'community:write',
  'token-gating',
];
const CHECK_MS = 30_000;
const EVERY_MS = 200;

/** The chat user of the document's examples (libs/dto/src/examples.ts). */
const CHAT_USER = { platform: 'chat', platformUserId: '4242', username: 'ann' };

/**
 * A community of the demo holder's, whose members are the holder, the outsider and a chat user with a wallet of its own, with
 * roles that follow from what they hold; made once, and checked at each start.
 * @param {import('./demo-client.mjs').Demo} demo
 * @returns {Promise<{ communityId: string, holderId: string, chatUserId: string }>}
 */
export async function demoCommunity(demo) {
  const holder = await callerFor(demo, demo.holder);
  const outsider = await callerFor(demo, demo.outsider);
  /** @type {{ id: string }} */
  const { id: holderId } = await holder('GET', '/account/me');
  const communityId = (await findMade(holder)) ?? (await make(holder, demo));
  // Another one after the demo client was made anew.
  await holder('PUT', `/communities/${communityId}/client-applications/${demo.clientId}`, {});
  for (const member of [holder, outsider]) await member('POST', `/communities/${communityId}/members`, {});
  await checked(holder, communityId, holderId);
  await linkWalletOfChatUser(demo, communityId);
  await checked(holder, communityId, CHAT_USER.platformUserId, ['collector']);
  return { communityId, holderId, chatUserId: CHAT_USER.platformUserId };
}

/**
 * Links a wallet as the application of a chat platform does it, with the signature that its user gives.
 * @param {Demo} options
 * @param {string} communityId
 */
async function linkWalletOfChatUser({ gatewayUrl, apiKey, chatter }, communityId) {
  const { privateKeyToAccount } = await import('viem/accounts');
  const wallet = privateKeyToAccount(chatter.privateKey);
  const application = gatewayCaller(gatewayUrl, { 'X-API-Key': apiKey });
  const users = `/communities/${communityId}/platform-users`;
  const path = `${users}/${CHAT_USER.platformUserId}`;
  await application('PUT', users, { users: [CHAT_USER] });
  // The chat user of earlier releases had the holder's wallet.
  /** @type {{ items: { address: string }[] }} */
  const { items } = await application('GET', `${path}/wallets`);
  for (const { address } of items)
    if (address.toLowerCase() !== wallet.address.toLowerCase())
      await application('DELETE', `${path}/wallets/${address}`);
  /** @type {{ requestId: string, message: string }} */
  const { requestId, message } = await application('POST', `${path}/wallet-challenges`);
  const signature = await wallet.signMessage({ message });
  await application('POST', `${path}/wallets`, { requestId, address: wallet.address, signature });
}

/** @param {Demo} demo @param {Demo['holder']} options */
async function callerFor(demo, { privateKey }) {
  return gatewayCaller(demo.gatewayUrl, { Authorization: await signInWithWallet(demo, privateKey, SCOPES) });
}

/** @param {GatewayCaller} holder */
async function findMade(holder) {
  /** @type {{ items: { id: string, name: string }[] }} */
  const { items } = await holder('GET', '/account/administrated-communities');
  for (const { id } of items.filter(({ name }) => name === NAME)) {
    /** @type {{ rules: object[] }} */
    const { rules } = await holder('GET', `/communities/${id}/rules`);
    if (rules.length > 0) return id; // a community without rules was left half-made
  }
  return undefined;
}

/** @param {GatewayCaller} holder @param {Demo} options */
async function make(holder, { chainId, tokens }) {
  /** @type {{ id: string }} */
  const { id } = await holder('POST', '/communities', {
    name: NAME,
    platform: 'ethereum',
    visibility: 'public',
  });
  for (const role of ROLES) await holder('POST', `/communities/${id}/roles`, role);
  const coins = { type: 'ERC20', chainId, contractAddress: tokens.erc20 };
  const badge = { type: 'ERC721', chainId, contractAddress: tokens.erc721 };
  const item = { type: 'ERC1155', chainId, contractAddress: tokens.erc1155, tokenId: '7' };
  await holder('PUT', `/communities/${id}/rules`, {
    rules: [
      { ...coins, minToken: '100', roleId: 'whale' },
      { roleId: 'collector', allOf: [badge, { anyOf: [item, { not: coins }] }] },
    ],
  });
  return id;
}

/**
 * Roles are there when the check that new rules and members bring about is over.
 * @param {GatewayCaller} holder
 * @param {string} communityId
 * @param {string} member
 * @param {string[]} roleIds the roles that the member has to get
 */
async function checked(holder, communityId, member, roleIds = ROLES.map(({ id }) => id)) {
  const deadline = Date.now() + CHECK_MS;
  const path = `/access-control/${communityId}/${member}/roles`;
  for (;;) {
    /** @type {{ roles: { id: string, granted: boolean }[] }} */
    const { roles } = await holder('GET', path);
    if (roles.every(({ id, granted }) => granted || !roleIds.includes(id))) return;
    if (Date.now() > deadline) throw new Error(`The member ${member} has no roles: ${JSON.stringify(roles)}`);
    await sleep(EVERY_MS);
  }
}
