import 'reflect-metadata';
import { runFreezeCommand } from './run-freeze-command.js';

void runFreezeCommand(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
