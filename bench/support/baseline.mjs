import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { v8Flags } from '../../scripts/local/app-processes.mjs';
import { freePort } from '../../scripts/local/ports.mjs';

async function start(children, name, env) {
  const file = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  const guard = new URL('../../scripts/local/end-with-parent.mjs', import.meta.url).href;
  const child = children.startApp(name, [...v8Flags, '--import', guard, file], {
    NODE_ENV: 'production',
    ...env,
  });
  await once(child.process, 'message');
}

/**
 * Express behind Express + undici.
 * @param {Record<string, string>} [env] `DATABASE_URL`, for what the service reads from a database
 * @returns {Promise<string>} the URL of the front
 */
export async function startBaseline(children, env = {}) {
  const servicePort = await freePort();
  const proxyPort = await freePort();
  await start(children, 'baseline-service', { ...env, PORT: String(servicePort) });
  await start(children, 'baseline-proxy', {
    PORT: String(proxyPort),
    UPSTREAM_URL: `http://127.0.0.1:${servicePort}`,
  });
  return `http://127.0.0.1:${proxyPort}`;
}
