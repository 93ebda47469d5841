import { checkRoles, createAuthorizationRequest, createClient, exchangeCode } from '@gatehouse/client';
import { GatehouseError, readAuthorizationCode, readRole, request, verifyCallback } from '@gatehouse/client';

const { GATEHOUSE_URL, GATEHOUSE_API_KEY, CLIENT_ID, CLIENT_SECRET, APP_URL, RULE, ENDPOINT_SECRET } =
  process.env;
const RULES = [JSON.parse(RULE)];
const application = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, redirectUri: `${APP_URL}/callback` };
// The client waits out 429 and repeats what is safe to repeat. A visitor should not wait longer than this.
const gatehouse = createClient({
  baseUrl: GATEHOUSE_URL,
  apiKey: GATEHOUSE_API_KEY,
  timeoutMs: 10_000,
  retry: { attempts: 3, maxDelayMs: 5_000 },
});
const anonymous = createClient({ baseUrl: GATEHOUSE_URL });

/** How long a visitor stays signed in. */
export const SESSION_MS = 8 * 3_600_000;

/** Sends a visitor to the login page of Gatehouse, where they sign with their wallet. */
export async function signIn(req, res) {
  const scopes = ['openid', 'user:wallet:read'];
  const { url, state, codeVerifier } = await createAuthorizationRequest(anonymous, {
    ...application,
    scopes,
  });
  req.session = { state, codeVerifier };
  res.redirect(url);
}

/** The visitor is back: the code becomes a token, and the token says who they are. */
export async function finishSignIn(req, res) {
  const { state, codeVerifier } = req.session;
  // A sign-in is tried once, whatever comes of it.
  delete req.session.state;
  delete req.session.codeVerifier;
  const code = readAuthorizationCode(new URL(req.originalUrl, APP_URL), state);
  const { accessToken } = await exchangeCode(anonymous, application, { code, codeVerifier });
  const user = createClient({ baseUrl: GATEHOUSE_URL, accessToken });
  const { sub } = await request(user, 'GET /oauth2/userinfo');
  // The browser forgets the cookie by then, and a copy of it is refused.
  req.session = { userId: sub, endsAt: Date.now() + SESSION_MS };
  res.redirect('/lounge');
}

/** Middleware: lets pass who holds all of these roles now, by whichever of their wallets. */
export const requireRoles =
  (...wanted) =>
  async (req, res, next) => {
    // No cache, nor the browser after signing out, shows the page to somebody else.
    res.set('Cache-Control', 'private, no-store');
    const { userId, endsAt } = req.session;
    if (!userId || !(Date.now() < endsAt)) return res.redirect('/login');
    let answer;
    try {
      answer = await checkRoles(gatehouse, { account: userId, rules: RULES });
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.code !== 'account_not_found') throw error;
      req.session = null; // the user has ended the consent, or kept their wallets to themselves
      return res
        .status(403)
        .send('Please <a href="/login">sign in</a> and allow this site to see your wallets.');
    }
    const verdicts = wanted.map((role) => readRole(answer, role));
    if (verdicts.every((verdict) => verdict === 'granted')) return next();
    if (verdicts.includes('denied'))
      return res.status(403).send('None of your wallets holds what this page asks for.');
    return res.status(503).set('Retry-After', '10').send('A blockchain could not be read. Try again soon.');
  };

/** Receives the events of a callback endpoint. Its body is a Buffer, because the signature is over the bytes. */
export async function receiveEvent(req, res) {
  if (!(await verifyCallback(req.headers, req.body ?? '', ENDPOINT_SECRET))) return res.sendStatus(401);
  const { type, data, challenge } = JSON.parse(req.body.toString());
  if (challenge !== undefined) return res.json({ challenge });
  // A delivery can come twice: remember its webhook-id for three days if it must not count twice.
  console.log(type, JSON.stringify(data));
  return res.sendStatus(204);
}
