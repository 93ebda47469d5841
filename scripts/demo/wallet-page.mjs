/** @type {Record<string, string>} */
const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

/**
 * Links a wallet on the page that a chat user was sent, as the script of the page does it in a browser: the page has the message and a token
 * of the visitor's session, and takes the signature.
 * @param {string} url of the page
 * @param {import('viem/accounts').PrivateKeyAccount} wallet
 * @param {number} chainId
 * @returns {Promise<{ roles?: string[] }>} the names of the roles that the user has now
 */
export async function linkOnWalletPage(url, wallet, chainId) {
  const page = await fetch(url);
  const html = await page.text();
  if (!page.ok) throw new Error(`The page answers ${page.status}: the link has expired or was used.`);
  /** @param {string} name */
  const dataOf = (name) =>
    new RegExp(`data-${name}="([^"]*)"`)
      .exec(html)?.[1]
      ?.replaceAll(/&\w+;|&#39;/g, (text) => ENTITIES[text] ?? text) ?? '';
  const [csrf, message] = [dataOf('csrf'), dataOf('message')];
  const answer = await fetch(`${url}/wallets`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      cookie: page.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; '),
      'sec-fetch-site': 'same-origin',
    },
    body: JSON.stringify({
      csrf,
      accountId: `eip155:${chainId}:${wallet.address}`,
      signature: await wallet.signMessage({ message }),
    }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Linking the wallet failed: ${answer.status} ${text}`);
  return /** @type {{ roles?: string[] }} */ (JSON.parse(text));
}
