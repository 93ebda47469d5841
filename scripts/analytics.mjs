import { runAppCommand } from './local/run-app-command.mjs';

runAppCommand('analytics', 'analytics');
