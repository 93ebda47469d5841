import { PHASE_PRODUCTION_BUILD } from 'next/constants.js';

/** Next.js asks for this when it starts, and ends if it throws. Whoever knows the secret can sign in as anybody. */
export default function config(phase) {
  if (phase !== PHASE_PRODUCTION_BUILD && (process.env.SESSION_SECRET ?? '').length < 32)
    throw new Error('SESSION_SECRET has to have 32 characters at least.');
  return {};
}
