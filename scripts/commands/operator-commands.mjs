import { APP_COMMANDS } from '../images/app-commands.mjs';
import { dashboardsCommand } from './dashboards.mjs';
import { deployCommand } from './deploy.mjs';
import { imagesCommand } from './images.mjs';
import { kubectlCommand } from './kubectl.mjs';
import { migrateCommand } from './migrate.mjs';
import { runAppCommand } from './run-app-command.mjs';
import { secretsCommand } from './secrets.mjs';

/** @import { Command } from './define-command.mjs' */

/**
 * The commands of operators, in the order of the list. What a command needs beyond Node is imported when it runs: the list, and the secrets
 * for Compose, need no installed packages.
 * @type {Command[]}
 */
export const OPERATOR_COMMANDS = [
  ...Object.entries(APP_COMMANDS).map(([name, command]) => ({
    name,
    summary: command.summary,
    run: (/** @type {string[]} */ args) => Promise.resolve(runAppCommand(command, args)),
  })),
  migrateCommand,
  secretsCommand,
  imagesCommand,
  deployCommand,
  kubectlCommand,
  dashboardsCommand,
];
