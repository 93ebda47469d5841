import { portFrom } from './apps.mjs';
import { takenPorts } from '../processes/ports.mjs';

/** @typedef {{ name: string, port: number, variable: string }} WantedPort */
/** @typedef {ReturnType<typeof planPorts>} PortPlan */

const POSTGRES_PORT = 15_432;
const ANVIL_PORT = 8_545;
const SOLANA_PORT = 8_899;
const RECEIVER_PORT = 3_005;
const OPEN_SEA_PORT = 3_007;
const PLATFORMS_PORT = 3_008;

/**
 * Every port that a start will use.
 * @param {import('./apps.mjs').App[]} apps
 * @param {NodeJS.ProcessEnv} env
 * @param {{ hasDemo?: boolean, watched?: readonly string[] }} [options] the apps that `npm run dev` watches have an inspector
 */
export function planPorts(apps, env, { hasDemo = true, watched = [] } = {}) {
  const postgres = portFrom(env, 'POSTGRES_PORT') ?? POSTGRES_PORT;
  const anvil = portFrom(env, 'ANVIL_PORT') ?? ANVIL_PORT;
  const solana = portFrom(env, 'SOLANA_PORT') ?? SOLANA_PORT;
  const receiver = portFrom(env, 'RECEIVER_PORT') ?? RECEIVER_PORT;
  const openSea = portFrom(env, 'OPEN_SEA_PORT') ?? OPEN_SEA_PORT;
  const platforms = portFrom(env, 'PLATFORMS_PORT') ?? PLATFORMS_PORT;
  const wanted = apps.flatMap(({ name, variable, port, managementPort }) => [
    { name, port, variable: `${variable}_PORT` },
    { name: `${name} management`, port: managementPort, variable: `${variable}_MANAGEMENT_PORT` },
  ]);
  for (const { name, variable, inspectorPort } of apps)
    if (watched.includes(name))
      wanted.push({ name: `${name} inspector`, port: inspectorPort, variable: `${variable}_INSPECTOR_PORT` });
  if (hasDemo) wanted.push({ name: 'demo receiver', port: receiver, variable: 'RECEIVER_PORT' });
  if (hasDemo && !env.OPENSEA_API_KEY)
    wanted.push({ name: 'stand-in of OpenSea', port: openSea, variable: 'OPEN_SEA_PORT' });
  if (hasDemo && !env.PLATFORM_CHAT_URL)
    wanted.push({ name: 'stand-in of the platforms', port: platforms, variable: 'PLATFORMS_PORT' });
  if (!env.DATABASE_URL) wanted.push({ name: 'PostgreSQL', port: postgres, variable: 'POSTGRES_PORT' });
  if (!env.RPC_URL_31337) wanted.push({ name: 'local chain', port: anvil, variable: 'ANVIL_PORT' });
  if (!env.RPC_URL_8000000000103)
    wanted.push({ name: 'local Solana cluster', port: solana, variable: 'SOLANA_PORT' });
  return { postgres, anvil, solana, receiver, openSea, platforms, wanted };
}

/** Throws when a port is wanted twice or taken by another program. @param {WantedPort[]} wanted */
export async function checkPorts(wanted) {
  const problems = wanted.flatMap(({ port, name }, at) => {
    const first = wanted.findIndex((one) => one.port === port);
    return first === at ? [] : [`Port ${port} is wanted by ${wanted[first]?.name ?? ''} and by ${name}.`];
  });
  problems.push(...(await takenPorts(wanted)));
  if (problems.length > 0) throw new Error(problems.join('\n'));
}
