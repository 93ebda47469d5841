// The operators' commands of an app's image: node /app/gatehouse.mjs <command> …, with the configuration of the app.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { APP_COMMANDS, formatCommands, USAGE_EXIT_CODE } from './app-commands.mjs';

const [name, ...args] = process.argv.slice(2);
const present = Object.entries(APP_COMMANDS)
  .map(([command, { entry, summary }]) => ({
    name: command,
    summary,
    file: join(import.meta.dirname, `${entry}.command.js`),
  }))
  .filter(({ file }) => existsSync(file));
const found = present.find((command) => command.name === name);
if (found !== undefined) {
  const child = spawn(process.execPath, [found.file, ...args], { stdio: 'inherit' });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
} else {
  const elsewhere = APP_COMMANDS[name ?? '']?.app;
  const isAsked = name === undefined || name === '--help';
  if (elsewhere !== undefined) process.stderr.write(`The command ${name} is in the image of ${elsewhere}.\n`);
  else if (!isAsked) process.stderr.write(`There is no command ${name}.\n`);
  const list =
    present.length === 0
      ? 'This image has no commands.\n'
      : `node /app/gatehouse.mjs <command> [--help]\n\n${formatCommands(present)}`;
  (isAsked ? process.stdout : process.stderr).write(list);
  process.exitCode = isAsked ? 0 : USAGE_EXIT_CODE;
}
