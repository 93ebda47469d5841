import { runAppCommand } from './local/run-app-command.mjs';

runAppCommand('account-kit', 'actions');
