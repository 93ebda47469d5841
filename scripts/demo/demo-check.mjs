/** @import { Demo } from './demo-client.mjs' */
/** @typedef {{ async?: boolean, callbackUrl?: string, rules?: object[] }} MoreOfCheck */
/** @typedef {Pick<Demo, 'gatewayUrl' | 'apiKey' | 'chainId' | 'tokens' | 'holder'>} CheckedDemo what a check needs */

const TIME_OUT_MS = 15_000;

/**
 * The request that the banner shows: does the demo holder have one demo coin?
 * @param {CheckedDemo} demo
 * @param {MoreOfCheck} [more]
 */
export function demoRequest(demo, more = {}) {
  const rule = {
    type: 'ERC20',
    chainId: demo.chainId,
    contractAddress: demo.tokens.erc20,
    minToken: '1',
    roleId: '001',
  };
  return {
    url: `${demo.gatewayUrl}/access-control/check-roles`,
    headers: { 'Content-Type': 'application/json', 'X-API-Key': demo.apiKey },
    body: JSON.stringify({ account: demo.holder.address, rules: [rule], ...more }),
  };
}

/**
 * @param {CheckedDemo} demo
 * @param {MoreOfCheck} [more]
 * @returns {string} the same request as one line for a shell
 */
export const demoCurl = (demo, more) => toCurl(demoRequest(demo, more));

/**
 * @param {Demo} demo
 * @returns {string} a line that asks whether the demo holder's Solana wallet has one demo token
 */
export function solanaCurl(demo) {
  const { chainId, mint, holder } = demo.solana;
  const rule = { type: 'SOLANA_FT', chainId, contractAddress: mint, minToken: '1', roleId: '001' };
  return toCurl({ ...demoRequest(demo), body: JSON.stringify({ account: holder.address, rules: [rule] }) });
}

/** @param {ReturnType<typeof demoRequest>} options */
function toCurl({ url, headers, body }) {
  const named = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`);
  return ['curl -s', ...named, `-d '${body}'`, url].join(' ');
}

/**
 * @param {Pick<Demo, 'gatewayUrl' | 'apiKey' | 'communityId' | 'holderId'>} options
 * @returns {string} a line that asks for the roles of the demo holder in the demo community
 */
export function memberCurl({ gatewayUrl, apiKey, communityId, holderId }) {
  return `curl -s -H 'X-API-Key: ${apiKey}' ${gatewayUrl}/access-control/${communityId}/${holderId}/roles`;
}

/**
 * @param {Demo} demo
 * @returns {string} a line that asks for the roles of the chat user in the demo community
 */
export function chatUserCurl(demo) {
  return memberCurl({ ...demo, holderId: demo.chatUserId });
}

/**
 * @param {Demo} options
 * @returns {string} a line that asks for a page on which the chat user links another wallet
 */
export function walletPageCurl({ gatewayUrl, apiKey, communityId, chatUserId }) {
  const path = `/communities/${communityId}/platform-users/${chatUserId}/wallet-challenges`;
  return `curl -s -X POST -H 'X-API-Key: ${apiKey}' ${gatewayUrl}${path}`;
}

/** @param {Demo} options @returns {string} a line that shows the smart accounts of the demo bot */
export function botCurl({ gatewayUrl, apiKey, accountKit }) {
  const headers = `-H 'X-API-Key: ${apiKey}' -H 'X-BOT-TOKEN: ${accountKit.botToken}'`;
  return `curl -s ${headers} ${gatewayUrl}/accountkit/v1/chatbot/accounts`;
}

/**
 * @param {Demo} options
 * @param {string | undefined} requestId
 * @returns {string} a line that polls the result of an asynchronous check
 */
export function pollCurl({ gatewayUrl, apiKey }, requestId) {
  return `curl -s -H 'X-API-Key: ${apiKey}' ${gatewayUrl}/access-control/check-roles/responses/${requestId}`;
}

/**
 * Sends the request.
 * @param {CheckedDemo} demo
 * @returns {Promise<'granted' | 'refused'>} refused: the gateway does not accept the API key; throws on any other answer
 */
export async function checkDemo(demo) {
  const { url, headers, body } = demoRequest(demo);
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(TIME_OUT_MS),
  });
  const text = await response.text();
  if (response.status === 401 || response.status === 403) return 'refused';
  if (response.ok && isGranted(text)) return 'granted';
  throw new Error(
    `The demo check did not answer granted: true, but ${response.status} ${text.slice(0, 500)}`,
  );
}

/**
 * A tree of rules that the demo holder satisfies: the holder has two of three kinds of tokens, and none of the early ones.
 * @param {Pick<Demo, 'chainId' | 'tokens'>} options
 */
export function demoTree({ chainId, tokens }) {
  /** @param {string} type @param {string} contractAddress @param {object} [more] */
  const rule = (type, contractAddress, more = {}) => ({ type, chainId, contractAddress, ...more });
  const kinds = [
    rule('ERC20', tokens.erc20, { minToken: '100' }),
    rule('ERC721', tokens.erc721),
    rule('ERC1155', tokens.erc1155, { tokenId: '8' }),
  ];
  const early = rule('ERC721', tokens.erc721, { tokenId: '1000-1009' });
  return { roleId: 'collector', allOf: [{ atLeast: { count: 2, of: kinds } }, { not: early }] };
}

/** @param {Demo} demo @throws Error where the tree is not granted */
export async function checkDemoTree(demo) {
  const { url, headers, body } = demoRequest(demo, { rules: [demo.tree] });
  const signal = AbortSignal.timeout(TIME_OUT_MS);
  const response = await fetch(url, { method: 'POST', headers, body, signal });
  const text = await response.text();
  if (!response.ok || !isGranted(text))
    throw new Error(
      `The demo tree did not answer granted: true, but ${response.status} ${text.slice(0, 500)}`,
    );
}

/** @param {string} text the answer to a check */
function isGranted(text) {
  const { roles } = /** @type {{ roles?: { granted: boolean }[] }} */ (JSON.parse(text));
  return roles?.[0]?.granted === true;
}
