import { createAuthorizationRequest } from '@gatehouse/client';
import { redirect } from 'next/navigation';
import { application, createUserClient } from '../../lib/gatehouse.js';
import { getSession } from '../../lib/session.js';

/** Sends the visitor to the login page of Gatehouse, where they sign with their wallet. */
export async function GET() {
  const scopes = ['openid', 'user:wallet:read'];
  const { url, state, codeVerifier } = await createAuthorizationRequest(createUserClient(), {
    ...application,
    scopes,
  });
  const session = await getSession();
  session.state = state;
  session.codeVerifier = codeVerifier;
  await session.save();
  redirect(url);
}
