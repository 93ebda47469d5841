import { redirect } from 'next/navigation';
import { readRoleOf } from '../../lib/gatehouse.js';
import { getSession } from '../../lib/session.js';

/** Rendered on the server for each request: nobody else ever gets what is in it. */
export default async function Lounge() {
  const { userId } = await getSession();
  if (!userId) redirect('/login');
  const verdict = await readRoleOf(userId, 'holder');
  if (verdict === 'denied') return <p>None of your wallets holds what this page asks for.</p>;
  if (verdict === 'consent_required')
    return (
      <p>
        Please <a href="/login">sign in</a> and allow this site to see your wallets.
      </p>
    );
  if (verdict !== 'granted')
    return <p>What your wallets hold could not be checked. Reload the page to try again.</p>;
  return (
    <>
      <h1>Welcome to the lounge</h1>
      <form method="post" action="/logout">
        <button>Sign out</button>
      </form>
    </>
  );
}
