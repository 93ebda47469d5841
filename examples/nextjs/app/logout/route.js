import { getSession } from '../../lib/session.js';

export async function POST() {
  (await getSession()).destroy();
  return new Response(undefined, { status: 303, headers: { Location: '/' } });
}
