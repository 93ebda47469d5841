import { create } from './create.js';
import { approve, reject } from './decide.js';
import type { Command, ParsedCommand } from './define-command.js';
import { createKey, revokeKey } from './keys.js';
import { list } from './list.js';
import { remove, set, setPlan, setScopes } from './manage.js';
import { UsageError } from './usage-error.js';

const COMMANDS: readonly Command[] = [
  create,
  list,
  createKey,
  revokeKey,
  set,
  setScopes,
  approve,
  reject,
  setPlan,
  remove,
];

export const usage = (): string =>
  ['Commands, each with [--json]:', ...COMMANDS.map((command) => `  ${command.usage}`), ''].join('\n');

/**
 * Without a command's name it is `create`: that is what the program is named after.
 * @throws UsageError
 */
export function parseClientCommand(args: string[]): ParsedCommand {
  const [name = '', ...rest] = args;
  if (name.startsWith('--')) return create.parse(args);
  const command = COMMANDS.find((one) => one.name === name);
  if (!command) throw new UsageError(name === '' ? 'A command is missing' : `"${name}" is not a command`);
  return command.parse(rest);
}
