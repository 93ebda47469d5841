/**
 * @typedef {object} App
 * @property {string} name
 * @property {string} variable prefix of its variables: `<variable>_PORT`, `<variable>_URL`
 * @property {number} port
 * @property {number} managementPort health and metrics
 * @property {number} inspectorPort where debuggers attach, in `npm run dev` only
 */

const MANAGEMENT_OFFSET = 100;
/** Node's own default, which debuggers try first. */
const FIRST_INSPECTOR_PORT = 9229;

/** @type {App[]} */
export const apps = [
  { name: 'gateway', port: 3000 },
  { name: 'identity', port: 3001 },
  { name: 'token-gating', port: 3002 },
  { name: 'account-kit', port: 3003 },
  { name: 'analytics', port: 3004 },
].map((app, index) => ({
  ...app,
  inspectorPort: FIRST_INSPECTOR_PORT + index,
  variable: app.name.toUpperCase().replaceAll('-', '_'),
  managementPort: app.port + MANAGEMENT_OFFSET,
}));

/**
 * Moves ports as the environment says; the management port goes along unless it is named too.
 * @param {NodeJS.ProcessEnv} env
 * @returns {App[]}
 */
export function appsOnPorts(env) {
  return apps.map((app) => {
    const port = portFrom(env, `${app.variable}_PORT`) ?? app.port;
    const managementPort = portFrom(env, `${app.variable}_MANAGEMENT_PORT`) ?? port + MANAGEMENT_OFFSET;
    const inspectorPort = portFrom(env, `${app.variable}_INSPECTOR_PORT`) ?? app.inspectorPort;
    return { ...app, port, managementPort, inspectorPort };
  });
}

/** @param {readonly App[]} all @param {string} name */
export function findApp(all, name) {
  const found = all.find((app) => app.name === name);
  if (found === undefined) throw new Error(`There is no app ${name}`);
  return found;
}

/** @param {NodeJS.ProcessEnv} env @param {string} variable @returns {number | undefined} */
export function portFrom(env, variable) {
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535)
    throw new Error(`${variable} must be a port from 1 to 65535; it is "${text}".`);
  return port;
}
