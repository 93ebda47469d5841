import { join } from 'node:path';
import { nodeArguments } from '../../processes/app-processes.mjs';

export const DEMO_API_KEY = 'local-demo-key';
export const DEMO_COLLECTION = 'gatehouse-demo';

/**
 * Starts the stand-in of OpenSea.
 * @param {{ children: import('../../processes/children.mjs').Children, port: number, holder: string }} options
 * @returns {Record<string, string>} the configuration of token-gating
 */
export function startOpenSea({ children, port, holder }) {
  const program = join(import.meta.dirname, 'process.mjs');
  const env = { PATH: process.env.PATH, PORT: String(port), HOLDER: holder };
  children.startApp('open-sea', [...nodeArguments, program], env);
  return {
    OPENSEA_API_URL: `http://127.0.0.1:${port}/api/v2`,
    OPENSEA_API_KEY: DEMO_API_KEY,
    OPENSEA_REQUESTS_PER_MINUTE: '6000',
  };
}
