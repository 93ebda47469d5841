import 'reflect-metadata';
import { runAnalyticsCommand } from './run-analytics-command.js';

void runAnalyticsCommand(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
