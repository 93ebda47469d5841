import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayCaller } from './gateway-caller.mjs';
import { signInWithWallet } from './wallet-sign-in.mjs';

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

/**
 * A community of the demo holder's, whose members are the holder and the outsider, with roles that follow from what they
 * hold; made once, and checked at each start.
 * @param {import('./demo-client.mjs').Demo} demo
 * @returns {Promise<{ communityId: string, holderId: string }>}
 */
export async function demoCommunity(demo) {
  const holder = await callerFor(demo, demo.holder);
  const outsider = await callerFor(demo, demo.outsider);
  const { id: holderId } = await holder('GET', '/account/me');
  const communityId = (await findMade(holder)) ?? (await make(holder, demo));
  // Another one after the demo client was made anew.
  await holder('PUT', `/communities/${communityId}/client-applications/${demo.clientId}`, {});
  for (const member of [holder, outsider]) await member('POST', `/communities/${communityId}/members`, {});
  await checked(holder, communityId);
  return { communityId, holderId };
}

async function callerFor(demo, { privateKey }) {
  return gatewayCaller(demo.gatewayUrl, { Authorization: await signInWithWallet(demo, privateKey, SCOPES) });
}

async function findMade(holder) {
  const { items } = await holder('GET', '/account/administrated-communities');
  for (const { id } of items.filter(({ name }) => name === NAME)) {
    const { rules } = await holder('GET', `/communities/${id}/rules`);
    if (rules.length > 0) return id; // one without was left half-made
  }
  return undefined;
}

async function make(holder, { chainId, tokens }) {
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

/** Roles are there when the check that new rules and members bring about is over. */
async function checked(holder, communityId) {
  const deadline = Date.now() + CHECK_MS;
  const path = `/access-control/${communityId}/${(await holder('GET', '/account/me')).id}/roles`;
  for (;;) {
    const { roles } = await holder('GET', path);
    if (roles.every(({ granted }) => granted)) return;
    if (Date.now() > deadline) throw new Error(`The demo holder has no roles: ${JSON.stringify(roles)}`);
    await sleep(EVERY_MS);
  }
}
