// The command line of operators: npm run gatehouse lists the commands, npm run gatehouse -- <command> --help says what one takes.
import { formatCommands, USAGE_EXIT_CODE } from '../images/app-commands.mjs';
import { OPERATOR_COMMANDS } from './operator-commands.mjs';

const [name, ...args] = process.argv.slice(2);
const command = OPERATOR_COMMANDS.find((one) => one.name === name);
if (command !== undefined) {
  process.exitCode = await command.run(args);
} else {
  const isAsked = name === undefined || name === '--help';
  if (!isAsked) process.stderr.write(`There is no command ${name}.\n`);
  const list = `npm run gatehouse -- <command> [--help]\n\n${formatCommands(OPERATOR_COMMANDS)}`;
  (isAsked ? process.stdout : process.stderr).write(list);
  process.exitCode = isAsked ? 0 : USAGE_EXIT_CODE;
}
