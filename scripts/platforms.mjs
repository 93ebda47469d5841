import { runKeyCommand } from './local/run-key-command.mjs';

runKeyCommand('platforms');
