import 'reflect-metadata';
import { runPlatformsCommand } from './run-platforms-command.js';

void runPlatformsCommand(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
