import session from 'cookie-session';
import express from 'express';
import { AuthorizationError, GatehouseError } from '@gatehouse/client';
import { finishSignIn, receiveEvent, requireRoles, SESSION_MS, signIn } from './gatehouse.js';

const { APP_URL, ENDPOINT_SECRET, PORT, SESSION_SECRET } = process.env;
// Whoever knows the secret can sign in as anybody, and an empty one is known to all.
if ((SESSION_SECRET ?? '').length < 32) throw new Error('SESSION_SECRET has to have 32 characters at least.');
const app = express();
app.disable('x-powered-by');
// A proxy on this machine or in this network ends TLS.
app.set('trust proxy', 'loopback, uniquelocal');

if (ENDPOINT_SECRET) app.post('/events', express.raw({ type: () => true, limit: '1mb' }), receiveEvent);

const secure = APP_URL.startsWith('https:');
// Applications on one host share its cookies, whatever their ports, so each needs a name of its own.
app.use(
  session({
    name: 'club_express',
    keys: [SESSION_SECRET],
    maxAge: SESSION_MS,
    sameSite: 'lax',
    secure,
  }),
);

app.get('/', (req, res) => res.send('<h1>Club</h1><p><a href="/lounge">The lounge</a> is for holders.</p>'));
app.get('/login', signIn);
app.get('/callback', finishSignIn);
app.get('/lounge', requireRoles('holder'), (req, res) =>
  res.send(
    '<h1>Welcome to the lounge</h1><form method="post" action="/logout"><button>Sign out</button></form>',
  ),
);
app.post('/logout', (req, res) => {
  req.session = null;
  res.redirect('/');
});

// Errors that no route has handled.
app.use((error, req, res, next) => {
  if (res.headersSent) return next(error);
  if (error instanceof AuthorizationError)
    return res.status(400).send('You are not signed in. <a href="/login">Sign in again</a>');
  // Express refuses such a request itself: its body is too large, or its address cannot be read.
  if (!(error instanceof GatehouseError) && error.status >= 400 && error.status < 500)
    return res.sendStatus(error.status);
  console.error(error);
  if (error instanceof GatehouseError && error.code === 'invalid_grant')
    return res.status(400).send('The sign-in took too long. <a href="/login">Sign in again</a>');
  const seconds = Math.ceil((error.retryAfterMs ?? 10_000) / 1_000);
  return res.status(503).set('Retry-After', String(seconds)).send('Try again in a moment.');
});

app.listen(Number(PORT), () => console.log(`Open ${APP_URL}`));
