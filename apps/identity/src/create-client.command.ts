import 'reflect-metadata';
import { runClientCommand } from './command/run-client-command.js';

process.exitCode = await runClientCommand(process.argv.slice(2));
