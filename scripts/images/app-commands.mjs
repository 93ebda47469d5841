/** @typedef {{ app: string, entry: string, summary: string }} AppCommand `entry` is the name of its bundle, without `.command.js` */

/**
 * Operators' commands that stand in the bundles of an app, by name.
 * @type {Record<string, AppCommand>}
 */
export const APP_COMMANDS = {
  client: {
    app: 'identity',
    entry: 'create-client',
    summary: 'makes and changes client applications, their keys and plans, or declares them in a file',
  },
  policies: {
    app: 'account-kit',
    entry: 'policies',
    summary: 'says what the accounts of a client application may do',
  },
  actions: {
    app: 'account-kit',
    entry: 'actions',
    summary: 'lists the custom actions of a client application',
  },
  platforms: {
    app: 'account-kit',
    entry: 'platforms',
    summary: 'binds bots and OAuth applications of platforms to a client application',
  },
  freeze: {
    app: 'account-kit',
    entry: 'freeze',
    summary: 'stops accounts, applications, chains or everything from signing',
  },
  keys: {
    app: 'account-kit',
    entry: 'keys',
    summary: 'stores the keys of accounts, and seals them with a new wrapping key',
  },
  analytics: {
    app: 'analytics',
    entry: 'analytics',
    summary: 'rebuilds and backfills numbers, and counts operations by state',
  },
};

/** Exit code of a command line that is not understood, after sysexits(3). */
export const USAGE_EXIT_CODE = 64;

/**
 * The list of commands, one a line.
 * @param {readonly { name: string, summary: string }[]} commands
 */
export function formatCommands(commands) {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`).join('');
}
