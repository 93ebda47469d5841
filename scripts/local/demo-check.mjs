const TIME_OUT_MS = 15_000;

/**
 * The request that the banner shows: does the demo holder have one demo coin?
 * @param {import('./demo-client.mjs').Demo} demo
 * @param {{ async?: boolean, callbackUrl?: string }} [more]
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

/** @returns {string} the same request as one line for a shell */
export const demoCurl = (demo, more) => toCurl(demoRequest(demo, more));

/** @returns {string} a line that asks whether the demo holder's Solana wallet has one demo token */
export function solanaCurl(demo) {
  const { chainId, mint, holder } = demo.solana;
  const rule = { type: 'SOLANA_FT', chainId, contractAddress: mint, minToken: '1', roleId: '001' };
  return toCurl({ ...demoRequest(demo), body: JSON.stringify({ account: holder.address, rules: [rule] }) });
}

function toCurl({ url, headers, body }) {
  const named = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`);
  return ['curl -s', ...named, `-d '${body}'`, url].join(' ');
}

/** @returns {string} a line that asks for the roles of the demo holder in the demo community */
export function memberCurl({ gatewayUrl, apiKey, communityId, holderId }) {
  return `curl -s -H 'X-API-Key: ${apiKey}' ${gatewayUrl}/access-control/${communityId}/${holderId}/roles`;
}

/** @returns {string} a line that asks for the roles of the chat user in the demo community */
export function chatUserCurl(demo) {
  return memberCurl({ ...demo, holderId: demo.chatUserId });
}

/** @returns {string} a line that asks for a page on which the chat user links another wallet */
export function walletPageCurl({ gatewayUrl, apiKey, communityId, chatUserId }) {
  const path = `/communities/${communityId}/platform-users/${chatUserId}/wallet-challenges`;
  return `curl -s -X POST -H 'X-API-Key: ${apiKey}' ${gatewayUrl}${path}`;
}

/** @returns {string} a line that shows the smart accounts of the demo bot */
export function botCurl({ gatewayUrl, apiKey, accountKit }) {
  const headers = `-H 'X-API-Key: ${apiKey}' -H 'X-BOT-TOKEN: ${accountKit.botToken}'`;
  return `curl -s ${headers} ${gatewayUrl}/accountkit/v1/chatbot/accounts`;
}

/** @returns {string} a line that polls the result of an asynchronous check */
export function pollCurl({ gatewayUrl, apiKey }, requestId) {
  return `curl -s -H 'X-API-Key: ${apiKey}' ${gatewayUrl}/access-control/check-roles/responses/${requestId}`;
}

/**
 * Sends the request.
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
  if (response.ok && JSON.parse(text).roles?.[0]?.granted === true) return 'granted';
  throw new Error(
    `The demo check did not answer granted: true, but ${response.status} ${text.slice(0, 500)}`,
  );
}
