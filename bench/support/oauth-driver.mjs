import { createHash, randomBytes } from 'node:crypto';
import { Pool } from 'undici';

/** @typedef {'GET' | 'POST'} Method */
/** @typedef {{ headers?: Record<string, string>, body?: string }} Content */
/** @typedef {ReturnType<typeof oauthDriver>} OauthDriver */

const CALLBACK = 'https://app.example/cb';

/**
 * A client application and its one user's browser, straight at an authorization server.
 * @param {{ url: string, clientId: string, clientSecret: string, connections: number,
 *   headersFor?: (method: string, path: string) => Promise<Record<string, string>> }} options
 */
export function oauthDriver({
  url,
  clientId,
  clientSecret,
  connections,
  headersFor = () => Promise.resolve({}),
}) {
  const pool = new Pool(url, { connections });
  /** @type {Map<string, string>} */
  const cookies = new Map();
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

  /** @param {Method} method @param {string} path @param {Content} [content] */
  const send = async (method, path, { headers = {}, body } = {}) => {
    const more = await headersFor(method, path.split('?')[0] ?? path);
    const answer = await pool.request({ method, path, headers: { ...headers, ...more }, body });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  };

  /**
   * Opens a path as the browser does: with cookies, of whatever path.
   * @param {Method} method
   * @param {string} path
   * @param {Content} [content]
   */
  const open = async (method, path, { headers = {}, body } = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await send(method, path, { headers: { ...headers, cookie }, body });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };

  /** @param {Record<string, string>} fields */
  const token = async (fields) => {
    const { status, text } = await send('POST', '/oauth2/token', {
      headers: {
        authorization,
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(fields).toString(),
    });
    if (status !== 200) throw new Error(`${url}: ${status} ${text}`);
    return /** @type {object} */ (JSON.parse(text));
  };

  /** @param {string} challenge */
  const authorizePath = (challenge) =>
    `/oauth2/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: CALLBACK,
      scope: 'user:read',
      state: 'state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }).toString()}`;

  return {
    open,
    authorizePath,
    credentials: () => token({ grant_type: 'client_credentials', scope: 'token-gating' }),
    code: async () => {
      const verifier = randomBytes(32).toString('base64url');
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      const { headers, status, text } = await open('GET', authorizePath(challenge));
      const location = headers.location?.toString();
      const code = new URL(location ?? 'none:', url).searchParams.get('code');
      if (!code) throw new Error(`${url}: no code, but ${status} ${location ?? text.slice(0, 500)}`);
      return token({
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        code_verifier: verifier,
      });
    },
    close: () => pool.close(),
  };
}
