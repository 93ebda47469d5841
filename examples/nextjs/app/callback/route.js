import {
  AuthorizationError,
  exchangeCode,
  GatehouseError,
  readAuthorizationCode,
  request,
} from '@gatehouse/client';
import { redirect } from 'next/navigation';
import { application, createUserClient } from '../../lib/gatehouse.js';
import { getSession } from '../../lib/session.js';

/** The visitor is back: the code becomes a token, and the token says who they are. */
export async function GET({ url }) {
  const session = await getSession();
  const { state, codeVerifier } = session;
  delete session.state;
  delete session.codeVerifier;
  // A sign-in is tried once, whatever comes of it.
  await session.save();
  try {
    const code = readAuthorizationCode(url, state);
    const { accessToken } = await exchangeCode(createUserClient(), application, { code, codeVerifier });
    session.userId = (await request(createUserClient(accessToken), 'GET /oauth2/userinfo')).sub;
  } catch (error) {
    if (!(error instanceof AuthorizationError)) console.error(error);
    const isOver =
      error instanceof AuthorizationError || (error instanceof GatehouseError && error.status < 429);
    return new Response(isOver ? 'You are not signed in. Begin again.' : 'Try again in a moment.', {
      status: isOver ? 400 : 503,
    });
  }
  await session.save();
  redirect('/lounge');
}
