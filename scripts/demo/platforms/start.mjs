import { join } from 'node:path';
import { nodeArguments } from '../../processes/app-processes.mjs';
import { DEMO_DISCORD, DEMO_DISCORD_PUBLIC_KEY } from './discord.mjs';
import { toToken } from './server.mjs';
import { DEMO_GROUP_ID } from './telegram.mjs';

const DEMO_BOT_ID = '7001';
const DEMO_USER_ID = '9007199254740993';

/** What `.local/demo.json` says of account-kit. */
export const DEMO_PLATFORM_TOKENS = {
  botToken: toToken('chat', DEMO_BOT_ID),
  userAccessToken: toToken('microblog', DEMO_USER_ID),
  platform: 'microblog',
};

/**
 * The bot of the stand-in of Telegram, and its group.
 * @param {number} port
 */
export const demoTelegram = (port) => ({
  apiUrl: `http://127.0.0.1:${port}`,
  page: `http://127.0.0.1:${port}/telegram`,
  botToken: DEMO_PLATFORM_TOKENS.botToken,
  groupId: String(DEMO_GROUP_ID),
});

/**
 * The application of the stand-in of Discord, its server, and the role that it may give there.
 * @param {number} port
 */
export const demoDiscord = (port) => ({
  ...DEMO_DISCORD,
  apiUrl: `http://127.0.0.1:${port}/discord/api/v10`,
  page: `http://127.0.0.1:${port}/discord`,
  publicKey: DEMO_DISCORD_PUBLIC_KEY,
});

/**
 * Starts the stand-in of the platforms whose bots and users have smart accounts.
 * @param {{ children: import('../../processes/children.mjs').Children, port: number }} options
 * @returns {Record<string, string>} the configuration of account-kit
 */
export function startPlatforms({ children, port }) {
  const program = join(import.meta.dirname, 'process.mjs');
  children.startApp('platforms', [...nodeArguments, program], { PATH: process.env.PATH, PORT: String(port) });
  const url = `http://127.0.0.1:${port}`;
  return {
    PLATFORM_CHAT_URL: url,
    PLATFORM_MICROBLOG_URL: url,
    PLATFORM_CODEHOST_URL: url,
    ACCEPT_UNBOUND_TOKENS: 'on',
  };
}
