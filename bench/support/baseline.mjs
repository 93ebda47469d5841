import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { v8Flags } from '../../scripts/processes/app-processes.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';

/** @import { Children } from '../../scripts/processes/children.mjs' */

/**
 * @param {Children} children
 * @param {string} name of a file of this folder
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ url: string, pid: number | undefined }>}
 */
export async function startService(children, name, env) {
  const port = await freePort();
  const file = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  const guard = new URL('../../scripts/processes/end-with-parent.mjs', import.meta.url).href;
  const child = children.startApp(name, [...v8Flags, '--import', guard, file], {
    NODE_ENV: 'production',
    PORT: String(port),
    ...env,
  });
  await once(child.process, 'message');
  return { url: `http://127.0.0.1:${port}`, pid: child.process.pid };
}

/**
 * Express behind Express + undici.
 * @param {Children} children
 * @param {Record<string, string>} [env] `DATABASE_URL`, for what the service reads from a database
 * @returns {Promise<string>} the URL of the front
 */
export async function startBaseline(children, env = {}) {
  const service = await startService(children, 'baseline-service', env);
  const { url } = await startService(children, 'baseline-proxy', { UPSTREAM_URL: service.url });
  return url;
}
