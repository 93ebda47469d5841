import { EXIT_CODES } from '@app/database';
import { CommandLineError } from './command-line.errors.js';

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The origin of a deployment as `PUBLIC_URL` names it. Tokens go there, so it is https, or http on this machine.
 * @throws CommandLineError
 */
export function parseDeploymentUrl(text: string | undefined): string {
  if (text === undefined)
    throw new CommandLineError(
      'Which deployment? Name it by --url https://… or GATEHOUSE_URL.',
      EXIT_CODES.usage,
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK_HOSTS.has(url.hostname));
  if (!url || !isSafe || url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '')
    throw new CommandLineError(
      `"${text}" is not the address of a deployment: it is https://<host>, or http:// on localhost, 127.0.0.1 or [::1], without a path.`,
      EXIT_CODES.usage,
    );
  return url.origin;
}
